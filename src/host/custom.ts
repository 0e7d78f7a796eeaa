import type { Commands } from './commands.ts';
import type { Driver } from './driver.ts';
import { familyDriver } from './family.ts';
import { anyAnswer, commandAnswer, sentinelAnswer } from './reboot-check.ts';
import { REPORT, type Report } from './report.ts';
import { reportScript } from './report-script.ts';
import { quoted } from './shell.ts';

const FILES = { update: 'none.out', upgrade: 'upgrade-command.out' };
const UPGRADE = 'upgrade-command.sh';
const CHECK = 'reboot-required-command.sh';

/** Any host: the user's own commands, each usable alone. */
export function customDriver(commands: Commands): Driver {
  const { upgrade = '', rebootRequired = '' } = commands;
  return familyDriver({
    program: '--upgrade-command',
    files: FILES,
    script: customScript(commands),
    shared: { [UPGRADE]: `${upgrade}\n`, [CHECK]: `${rebootRequired}\n` },
    upgrades: upgrade !== '',
    outcome: (_, exitCode) => ({ isDone: exitCode === 0, notes: [] }),
    answer: (report) => customAnswer(commands, report),
  });
}

function customAnswer(
  { rebootRequired = '', rebootSentinel = '' }: Commands,
  { check, checkStatus, sentinel }: Report,
) {
  if (rebootRequired === '' && rebootSentinel === '') {
    const unknown = 'neither --reboot-required-command nor --reboot-sentinel is given';
    return { required: false, unknown, message: '' };
  }
  const command = '--reboot-required-command';
  return anyAnswer([
    ...(rebootSentinel === '' ? [] : [sentinelAnswer(rebootSentinel, sentinel?.text ?? null)]),
    ...(rebootRequired === ''
      ? []
      : [commandAnswer({ command, exitStatus: checkStatus, output: check })]),
  ]);
}

/** The packages are listed where the host has rpm or dpkg; else nobody knows what has changed. */
export function customScript({ upgrade, rebootRequired, rebootSentinel = '' }: Commands): string {
  const file = quoted(rebootSentinel);
  const sentinel = `[ ! -e ${file} ] || {
    head -c 4096 ${file} >${REPORT.sentinel}
    touch -r ${file} ${REPORT.sentinel}
  }`;
  return reportScript({
    installed: `{
    ! command -v rpm >/dev/null || rpm -qa --queryformat '%{NAME} %{EPOCH}:%{VERSION}-%{RELEASE}.%{ARCH}\\n'
    ! command -v dpkg-query >/dev/null || dpkg-query -W -f '\${Package} \${Version} \${db:Status-Abbrev}\\n'
  } | sort`,
    isBusy: 'false',
    check: rebootRequired ? `sh ${CHECK}` : '',
    since: rebootSentinel === '' ? ':' : sentinel,
    upgrade: upgrade ? `sh ${UPGRADE} >${FILES.upgrade} 2>&1` : ':',
  });
}
