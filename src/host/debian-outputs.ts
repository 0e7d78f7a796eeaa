/** What an upgrade left behind, as read from the host mount. */
export interface Outputs {
  /** What apt-get update and unattended-upgrade printed. */
  update: string;
  upgrade: string;
  /** What dpkg wrote into its log in this run: unattended-upgrade may not show all of it. */
  dpkg: string;
  /** The packages that are neither installed nor removed but in between, a line each. */
  broken: string;
  /** The stamp that says a reboot is required, or null where there is none. */
  reboot: { text: string; sinceNs: bigint } | null;
  rebootPackages: string;
  /** The running kernel and the newest one in /boot, a line each. */
  kernels: string;
  /** The script's own exit status, or '' where it was killed. */
  exitStatus: string;
  /** The unit's lines in the host's journal, where they could be read. */
  journal: string;
}
