import { EXIT_MISSING, PATIENT } from './shell.ts';

/** The file names that the host and this program share in the host mount. */
export const FILES = {
  script: 'host-upgrades.sh',
  update: 'apt-get-update.out',
  upgrade: 'unattended-upgrade.out',
  dpkg: 'unattended-upgrade-dpkg.out',
  broken: 'broken-packages',
  reboot: 'reboot-required',
  rebootPackages: 'reboot-required.pkgs',
  kernels: 'kernels',
  exitStatus: 'exit-status',
  config: 'unattended-upgrades.conf',
  aptConfig: 'apt.conf',
};

/** What one run leaves in the host mount: gone before the next one starts. */
export const OUTPUTS = [
  FILES.update,
  FILES.upgrade,
  FILES.dpkg,
  FILES.broken,
  FILES.reboot,
  FILES.rebootPackages,
  FILES.kernels,
  FILES.exitStatus,
];

/**
 * What the host runs as host-upgrades.service on Debian and Ubuntu: sh -x, with HOST_PATH, and
 * BUSY_LIMIT_S and BUSY_PAUSE_S for waiting while another apt or dpkg is at work. With CHECK_ONLY it
 * upgrades nothing.
 */
export const DEBIAN_SCRIPT = `#!/bin/sh
# Written by host-upgrades before each run.
set -u
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
cd "$HOST_PATH" || exit 1

is_busy() {
  grep -qiE 'could not get lock|unable to lock|unable to acquire the dpkg|lock (could|can) not be acquired|lock file is already taken'
}
${PATIENT}

dpkg_log=/var/log/unattended-upgrades/unattended-upgrades-dpkg.log
dpkg_log_bytes=$(wc -c <"$dpkg_log" || echo 0)

# However it ends: what the report needs to know of the host.
look() {
  echo $? >${FILES.exitStatus}
  # With their times: since when a reboot is due is the stamp's.
  for stamp in ${FILES.reboot} ${FILES.rebootPackages}; do
    [ ! -e "/run/$stamp" ] || cp -p "/run/$stamp" "$stamp"
  done
  {
    uname -r
    ls /boot | sed -n 's/^vmlinuz-//p' | sort -V | tail -n 1
  } >${FILES.kernels}
  dpkg-query -W -f '\${db:Status-Abbrev} \${Package}\\n' | sed -n 's/^.[UFH]. *//p' >${FILES.broken}
  tail -c "+$((dpkg_log_bytes + 1))" "$dpkg_log" >${FILES.dpkg}
}
trap look EXIT

[ -z "\${CHECK_ONLY:-}" ] || exit 0
command -v unattended-upgrade >/dev/null || exit ${EXIT_MISSING}
patient ${FILES.update} apt-get update || exit
patient ${FILES.upgrade} unattended-upgrade -v
`;

/**
 * The apt configuration that makes the mounted unattended-upgrades.conf the last one read, so that
 * \`#clear\` in it works on what the host's own files say.
 */
export function aptConfig(configPath: string): string {
  return `Dir::Etc::main "${configPath}";\n`;
}
