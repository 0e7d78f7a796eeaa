import type { Bus } from './bus.ts';
import { HostError } from './errors.ts';
import { readUnitJournal } from './journal.ts';
import { isAtWork, startUnit, unitEnded, unitState } from './systemd.ts';
import { endInWords } from './verdict.ts';

export const REBOOT_UNIT = 'host-upgrades-reboot.service';

/**
 * Has the host run the user's command that reboots it; one that is at work already is not started
 * again. Throws HostError where it failed, BusLost where the host may be on its way down.
 */
export async function runRebootCommand(
  bus: Bus,
  command: string,
  journalPaths: string[],
): Promise<void> {
  if (!isAtWork(await unitState(bus, REBOOT_UNIT))) {
    await startUnit(bus, {
      name: REBOOT_UNIT,
      description: 'Reboot of the host, for host-upgrades',
      // systemd would put its own words for $… into the command: the shell is to have it as it is.
      command: ['/bin/sh', '-c', command.replaceAll('$', '$$$$')],
      environment: {},
    });
  }
  const end = await unitEnded(bus, REBOOT_UNIT);
  const how = end === null ? null : endInWords(end);
  // SIGTERM is what the reboot itself ends it with.
  if (end === null || how === null || how === 'killed by SIGTERM') return;
  const journal = await readUnitJournal(journalPaths, { unit: REBOOT_UNIT, ...end });
  const said = journal.trim() === '' ? '' : `\n${journal.trimEnd()}`;
  throw new HostError(`--reboot-command failed: ${how}${said}`);
}
