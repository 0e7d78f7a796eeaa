import { AT_BOOT, type OutputFiles, REPORT } from './report.ts';
import { EXIT_MISSING, PATIENT } from './shell.ts';

/** The parts in which the scripts of the families differ, all shell. */
export interface ScriptParts {
  /** Prints the installed packages, a line `NAME VERSION` each. */
  installed: string;
  /** Whether CODE ($1) and what was printed (stdin) mean that another holds the lock. */
  isBusy: string;
  /** Checks whether a reboot is due; '' where nobody is asked. */
  check: string;
  /** Prints since when it is due, s since the epoch. */
  since: string;
  /** Upgrades; `patient FILE COMMAND…` waits for others, `need PROGRAM PACKAGE` says what lacks. */
  upgrade: string;
}

/**
 * What the host runs as host-upgrades.service: sh -x, with HOST_PATH, and BUSY_LIMIT_S and
 * BUSY_PAUSE_S for waiting while another package manager is at work. With CHECK_ONLY it upgrades
 * nothing, and compares the packages with those at boot.
 */
export function reportScript({ installed, isBusy, check, since, upgrade }: ScriptParts): string {
  const checking = `check >${REPORT.check} 2>&1
  echo $? >${REPORT.checkStatus}
  since >${REPORT.since}`;
  return `#!/bin/sh
# Written by host-upgrades before each run.
set -u
# Programs are asked for words that can be read; the root of a service has no HOME.
export LC_ALL=C HOME="\${HOME:-/root}"
cd "$HOST_PATH" || exit 1

is_busy() {
  ${isBusy}
}
${PATIENT}
need() {
  command -v "$1" >/dev/null && return
  echo "$1 $2" >${REPORT.missing}
  exit ${EXIT_MISSING}
}
installed() {
  ${installed}
}
check() {
  ${check || ':'}
}
since() {
  ${since}
}

installed >${REPORT.before}
[ -e ${AT_BOOT} ] || cp ${REPORT.before} ${AT_BOOT}

# However it ends: what the report needs to know of the host.
look() {
  echo $? >${REPORT.exitStatus}
  installed >${REPORT.after}
  ${check === '' ? 'since' : checking}
}
trap look EXIT

if [ -n "\${CHECK_ONLY:-}" ]; then
  cp ${AT_BOOT} ${REPORT.before}
  exit 0
fi
${upgrade}
`;
}

/** What one run leaves in the host mount: gone before the next one starts. */
export function outputsOf(files: OutputFiles): string[] {
  const { script: _, ...names } = REPORT;
  return [...Object.values(names), files.update, files.upgrade];
}
