import type { Driver } from './driver.ts';
import { familyDriver, type Outcome } from './family.ts';
import { needsRebooting } from './reboot-check.ts';
import { reportScript } from './report-script.ts';
import { failedScriptlet, RPM_INSTALLED } from './rpm.ts';

const FILES = { update: 'zypper-refresh.out', upgrade: 'zypper.out' };

/** SLES, openSUSE Leap: zypper patch. */
export function zypperDriver(securityOnly: boolean): Driver {
  return familyDriver({
    program: 'zypper patch',
    files: FILES,
    script: zypperScript(securityOnly),
    upgrades: true,
    outcome: zypperOutcome,
    answer: ({ check, checkStatus }) =>
      needsRebooting({
        command: 'zypper needs-rebooting',
        exitStatus: checkStatus,
        output: check,
      }),
  });
}

/** Its exit codes that say more than that there was an error (zypper(8)). */
const CAUSES: Record<number, string> = {
  5: 'it needs root',
  6: 'no repositories are defined',
  8: 'packages could not be installed or removed',
  103: 'its own packages were patched, and it asks to be run again each time',
  104: 'a package or capability was not found',
  105: 'interrupted by a signal',
  106: 'repositories were skipped, so that patches may be missing',
  107: 'a package’s script failed',
};
/** Nothing is wrong: 102 only says that a reboot is due, 100 and 101 that patches are left. */
const GOOD = [0, 100, 101, 102];

export function zypperOutcome(output: string, exitCode: number | null): Outcome {
  const notes = [...output.matchAll(/^Warning: Patch '(\S+)' is interactive, skipping/gm)].map(
    ([, name]) => `Held back: ${name} (it asks a question, such as one about a licence)`,
  );
  if (exitCode === null) return { isDone: false, notes };
  if (GOOD.includes(exitCode)) return { isDone: true, notes };
  const detail = failedScriptlet(output) ?? /^Problem: .*$/m.exec(output)?.[0] ?? skipped(output);
  const causes = [CAUSES[exitCode], detail].filter((text) => text !== undefined);
  return { isDone: false, notes, ...(causes.length === 0 ? {} : { cause: causes.join(': ') }) };
}

function skipped(output: string): string | undefined {
  return /Skipping repository '.*'/.exec(output)?.[0];
}

/** How often it may ask to be run again, since its own packages were among the patches. */
const RUNS = 4;

/**
 * Without --non-interactive-include-reboot-patches it leaves out the patches that ask for a reboot,
 * such as each kernel's, and ends with 0. zypper locks with exit code 7.
 */
export function zypperScript(securityOnly: boolean): string {
  const category = securityOnly ? ' --category security' : '';
  return reportScript({
    installed: RPM_INSTALLED,
    isBusy: '[ "$1" -eq 7 ]',
    check: 'zypper --non-interactive needs-rebooting',
    since: '[ ! -e /run/reboot-needed ] || stat -c %Y /run/reboot-needed',
    upgrade: `need zypper zypper
run=0
code=103
while [ "$code" -eq 103 ] && [ "$run" -lt ${RUNS} ]; do
  code=0
  patient ${FILES.upgrade} zypper --non-interactive --non-interactive-include-reboot-patches patch${category} || code=$?
  run=$((run + 1))
done
exit "$code"`,
  });
}
