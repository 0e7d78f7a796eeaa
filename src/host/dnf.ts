import type { Driver } from './driver.ts';
import { familyDriver, type Outcome } from './family.ts';
import { FORCE, refuseNoUpgrades } from './ini.ts';
import { needsRestarting } from './reboot-check.ts';
import { reportScript } from './report-script.ts';
import { failedScriptlet, NAMED_SINCE, onlyOffered, RPM_INSTALLED, skippedNotes } from './rpm.ts';

const FILES = { update: 'dnf-makecache.out', upgrade: 'dnf.out' };
const CONFIG = 'dnf-automatic.conf';
const EFFECTIVE = 'dnf-automatic.effective.conf';

/**
 * RHEL 8 and later and those like it, Fedora, Amazon Linux 2023: dnf-automatic where it is
 * installed, else dnf upgrade; of dnf 4 and of dnf 5.
 */
export function dnfDriver(securityOnly: boolean): Driver {
  return familyDriver({
    program: 'dnf',
    files: FILES,
    script: dnfScript(securityOnly),
    config: { name: CONFIG, check: refuseNoUpgrades(CONFIG) },
    upgrades: true,
    outcome: dnfOutcome,
    answer: ({ check, checkStatus }) =>
      needsRestarting(
        { command: 'dnf needs-restarting -r', exitStatus: checkStatus, output: check },
        'dnf-plugins-core (dnf 5: dnf5-plugins)',
      ),
  });
}

/** dnf-automatic ends with 0 also where a package's script failed, or nothing was to be installed. */
export function dnfOutcome(output: string, exitCode: number | null): Outcome {
  const offered = onlyOffered(output) ? 'it was told to install nothing' : undefined;
  const error = exitCode === 0 ? undefined : /^(Error|Transaction failed): .*$/m.exec(output)?.[0];
  const cause = failedScriptlet(output) ?? offered ?? error;
  const isDone = exitCode === 0 && cause === undefined;
  return { isDone, notes: skippedNotes(output), ...(cause === undefined ? {} : { cause }) };
}

/**
 * dnf 4 is told not to wait by itself for another, which it would do for ever; dnf 5 never does.
 * dnf-automatic gets a copy of its configuration that installs, at once, and leaves the reboot to
 * this program.
 */
export function dnfScript(securityOnly: boolean): string {
  const security = securityOnly ? ' --security' : '';
  const onlySecurity = securityOnly ? `\n  force ${EFFECTIVE} commands upgrade_type security` : '';
  return reportScript({
    installed: RPM_INSTALLED,
    isBusy: `[ "$1" -eq 200 ] || grep -qE 'already locked by|Failed to obtain rpm transaction lock'`,
    check: 'dnf needs-restarting -r',
    since: NAMED_SINCE,
    upgrade: `${FORCE}
need dnf dnf
[ -z "\${CONFIG_PATH:-}" ] || need dnf-automatic 'dnf-automatic (dnf 5: dnf5-plugin-automatic)'
case $(dnf --version 2>/dev/null) in
  dnf5*) exit_on_lock= ;;
  *) exit_on_lock=--setopt=exit_on_lock=1 ;;
esac
patient ${FILES.update} dnf -y $exit_on_lock --refresh makecache || exit
if command -v dnf-automatic >/dev/null; then
  cat "\${CONFIG_PATH:-/etc/dnf/automatic.conf}" >${EFFECTIVE} 2>/dev/null
  for key in apply_updates download_updates; do
    force ${EFFECTIVE} commands $key yes
  done
  force ${EFFECTIVE} commands random_sleep 0
  sed -i 's/^[[:space:]]*reboot[[:space:]]*[=:].*/reboot = never/' ${EFFECTIVE}
  [ -z "$exit_on_lock" ] || force ${EFFECTIVE} base exit_on_lock yes${onlySecurity}
  patient ${FILES.upgrade} dnf-automatic "$HOST_PATH/${EFFECTIVE}"
else
  patient ${FILES.upgrade} dnf -y $exit_on_lock upgrade${security}
fi`,
  });
}
