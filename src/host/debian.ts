import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Outputs } from './debian-outputs.ts';
import { judge } from './debian-result.ts';
import { aptConfig, DEBIAN_SCRIPT, FILES, OUTPUTS } from './debian-script.ts';
import type { Driver } from './driver.ts';
import { removeShared, writeShared } from './mount.ts';
import { readOutput } from './output.ts';

/** Debian and Ubuntu: apt-get update and unattended-upgrade. */
export const debian: Driver = {
  progress: [FILES.update, FILES.upgrade],
  prepare(mount, config) {
    writeShared(mount, FILES.script, DEBIAN_SCRIPT);
    const own = config?.get(FILES.config);
    if (own === undefined) {
      removeShared(mount, FILES.config, FILES.aptConfig);
      return;
    }
    writeShared(mount, FILES.config, own);
    writeShared(mount, FILES.aptConfig, aptConfig(join(mount, FILES.config)));
  },
  clean: (mount) => removeShared(mount, ...OUTPUTS),
  command: (mount) => ['/bin/sh', '-x', join(mount, FILES.script)],
  environment: (mount, config) =>
    config?.has(FILES.config) ? { APT_CONFIG: join(mount, FILES.aptConfig) } : {},
  judge: (mount, unit, journal, bootMs) => judge(unit, readOutputs(mount, journal), bootMs),
};

/** A file that is not there is empty. */
function readOutputs(mount: string, journal: string): Outputs {
  const read = (name: string) => readOutput(join(mount, name));
  const stamp = statSync(join(mount, FILES.reboot), { bigint: true, throwIfNoEntry: false });
  return {
    update: read(FILES.update),
    upgrade: read(FILES.upgrade),
    dpkg: read(FILES.dpkg),
    broken: read(FILES.broken),
    reboot: stamp === undefined ? null : { text: read(FILES.reboot), sinceNs: stamp.mtimeNs },
    rebootPackages: read(FILES.rebootPackages),
    kernels: read(FILES.kernels),
    exitStatus: read(FILES.exitStatus),
    journal,
  };
}
