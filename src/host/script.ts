/** The file names that the host and this program share in the host mount. */
export const FILES = {
  script: 'host-upgrades.sh',
  update: 'apt-get-update.out',
  upgrade: 'unattended-upgrade.out',
  reboot: 'reboot-required',
  rebootPackages: 'reboot-required.pkgs',
  kernels: 'kernels',
  config: 'unattended-upgrades.conf',
  aptConfig: 'apt.conf',
};

/** Exit codes of the script that are not those of the programs it runs. */
export const EXIT_BUSY = 75;
export const EXIT_MISSING = 127;

/**
 * What the host runs as host-upgrades.service on Debian and Ubuntu: sh -x, with HOST_PATH, and
 * BUSY_LIMIT_S for waiting while another apt or dpkg is at work.
 */
export const DEBIAN_SCRIPT = `#!/bin/sh
# Written by host-upgrades at each start.
set -u
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
cd "$HOST_PATH" || exit 1

# Runs a command, its output in a file, again and again while another apt or dpkg holds the lock.
patient() {
  out=$1
  shift
  waited=0
  while :; do
    code=0
    "$@" >"$out" 2>&1 || code=$?
    [ "$code" -eq 0 ] && return 0
    grep -qiE 'could not get lock|unable to lock|unable to acquire the dpkg|(cache )?lock (could|can) not be acquired' "$out" || return "$code"
    [ "$waited" -ge "$BUSY_LIMIT_S" ] && return ${EXIT_BUSY}
    sleep "$BUSY_PAUSE_S"
    waited=$((waited + BUSY_PAUSE_S))
  done
}

rm -f ${FILES.update} ${FILES.upgrade} ${FILES.reboot} ${FILES.rebootPackages} ${FILES.kernels}
command -v unattended-upgrade >/dev/null || {
  echo 'unattended-upgrade: not found' >${FILES.upgrade}
  exit ${EXIT_MISSING}
}
patient ${FILES.update} apt-get update || exit
result=0
patient ${FILES.upgrade} unattended-upgrade -v || result=$?

# With their times: since when a reboot is due is the stamp's.
for stamp in ${FILES.reboot} ${FILES.rebootPackages}; do
  [ -e "/run/$stamp" ] && cp -p "/run/$stamp" "$stamp"
done
{
  uname -r
  ls /boot | sed -n 's/^vmlinuz-//p' | sort -V | tail -n 1
} >${FILES.kernels}
exit "$result"
`;

/**
 * The apt configuration that makes the mounted unattended-upgrades.conf the last one read, so that
 * \`#clear\` in it works on what the host's own files say.
 */
export function aptConfig(configPath: string): string {
  return `Dir::Etc::main "${configPath}";\n`;
}
