import { dnfOutcome } from './dnf.ts';
import type { Driver } from './driver.ts';
import { familyDriver } from './family.ts';
import { FORCE, refuseNoUpgrades } from './ini.ts';
import { needsRestarting } from './reboot-check.ts';
import { reportScript } from './report-script.ts';
import { NAMED_SINCE, RPM_INSTALLED } from './rpm.ts';

const FILES = { update: 'yum-clean.out', upgrade: 'yum-cron.out' };
const CONFIG = 'yum-cron.conf';
const EFFECTIVE = 'yum-cron.effective.conf';

/** CentOS 7 and its kin: yum-cron, whose messages are dnf-automatic's. */
export function yumCronDriver(securityOnly: boolean): Driver {
  return familyDriver({
    program: 'yum-cron',
    files: FILES,
    script: yumCronScript(securityOnly),
    config: { name: CONFIG, check: refuseNoUpgrades(CONFIG) },
    upgrades: true,
    outcome: dnfOutcome,
    answer: ({ check, checkStatus }) =>
      needsRestarting(
        { command: 'needs-restarting -r', exitStatus: checkStatus, output: check },
        'yum-utils',
      ),
  });
}

/** The stock configuration sleeps for hours, and only downloads: its copy does neither. */
export function yumCronScript(securityOnly: boolean): string {
  const onlySecurity = securityOnly ? `\nforce ${EFFECTIVE} commands update_cmd security` : '';
  return reportScript({
    installed: RPM_INSTALLED,
    isBusy: `grep -qiE 'currently holding the yum lock|lock held by|already locked by|another copy is running'`,
    check: 'needs-restarting -r',
    since: NAMED_SINCE,
    upgrade: `${FORCE}
need yum-cron yum-cron
yum -q clean expire-cache >${FILES.update} 2>&1
cat "\${CONFIG_PATH:-/etc/yum/yum-cron.conf}" >${EFFECTIVE} 2>/dev/null
for key in apply_updates download_updates; do
  force ${EFFECTIVE} commands $key yes
done
force ${EFFECTIVE} commands random_sleep 0${onlySecurity}
patient ${FILES.upgrade} yum-cron "$HOST_PATH/${EFFECTIVE}"`,
  });
}
