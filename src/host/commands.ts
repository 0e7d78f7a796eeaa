/** What the user has the host do in place of what its distribution would. '' or not given: nothing. */
export interface Commands {
  /** --upgrade-command: shell, run on the host as root. */
  upgrade?: string;
  /** --reboot-required-command: shell; exit status 0: required, 1: not, any other: unknown. */
  rebootRequired?: string;
  /** --reboot-command: shell, instead of asking logind. */
  reboot?: string;
  /** --reboot-sentinel: the absolute path of a file on the host that asks for a reboot. */
  rebootSentinel?: string;
  /** --security: security updates alone. */
  securityOnly?: boolean;
}

/** Whether the host is upgraded or checked by the user's commands and not by its distribution. */
export function isCustom({ upgrade, rebootRequired, rebootSentinel }: Commands): boolean {
  return [upgrade, rebootRequired, rebootSentinel].some((command) => !!command);
}
