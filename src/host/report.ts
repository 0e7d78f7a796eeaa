import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readOutput } from './output.ts';

/** The file names that a host other than Debian and this program share in the host mount. */
export const REPORT = {
  script: 'host-upgrades.sh',
  exitStatus: 'exit-status',
  missing: 'missing',
  before: 'packages-before',
  after: 'packages-after',
  check: 'reboot-check.out',
  checkStatus: 'reboot-check.status',
  since: 'reboot-since',
  sentinel: 'reboot-sentinel',
};
/** As they were when the host was first looked at in this boot: stays until a reboot empties /run. */
export const AT_BOOT = 'packages-at-boot';

/** What an upgrade left behind, as read from the host mount. A file that is not there is empty. */
export interface Report {
  /** What reading the package lists and upgrading printed. */
  update: string;
  upgrade: string;
  /** A program that is not on the host, and the package that brings it: `PROGRAM PACKAGE`. */
  missing: string;
  /** The installed packages, a line `NAME VERSION` each. */
  before: string;
  after: string;
  /** What the check for a due reboot printed, and its exit status. */
  check: string;
  checkStatus: string;
  /** Since when the reboot is due: s since the epoch, or ''. */
  since: string;
  /** What --reboot-sentinel says, or null where that file is not there. */
  sentinel: { text: string; sinceNs: bigint } | null;
  /** The script's own exit status, or '' where it was killed. */
  exitStatus: string;
  /** The unit's lines in the host's journal, where they could be read. */
  journal: string;
}

/** The files in which a family's programs print. */
export interface OutputFiles {
  update: string;
  upgrade: string;
}

export function readReport(mount: string, files: OutputFiles, journal: string): Report {
  const read = (name: string) => readOutput(join(mount, name));
  const stamp = statSync(join(mount, REPORT.sentinel), { bigint: true, throwIfNoEntry: false });
  return {
    update: read(files.update),
    upgrade: read(files.upgrade),
    missing: read(REPORT.missing).trim(),
    before: read(REPORT.before),
    after: read(REPORT.after),
    check: read(REPORT.check),
    checkStatus: read(REPORT.checkStatus).trim(),
    since: read(REPORT.since).trim(),
    sentinel: stamp === undefined ? null : { text: read(REPORT.sentinel), sinceNs: stamp.mtimeNs },
    exitStatus: read(REPORT.exitStatus),
    journal,
  };
}
