import type { Outputs } from '../../src/host/debian-outputs.ts';

/** The outputs of an upgrade that had nothing to do, and what differs. */
export function outputs(more: Partial<Outputs> = {}): Outputs {
  return {
    update: 'Reading package lists...\n',
    upgrade: 'No packages found that can be upgraded unattended and no pending auto-removals\n',
    dpkg: '',
    broken: '',
    reboot: null,
    rebootPackages: '',
    kernels: '6.1.0-18-amd64\n6.1.0-18-amd64\n',
    exitStatus: '',
    journal: '',
    ...more,
  };
}
