import type { RunInput } from '../../machines/events.ts';

/** A run's input for tests; what a test is about it sets itself. */
export const INPUT: RunInput = {
  node: 'node-1',
  namespace: 'kube-system',
  daemonSet: 'host-upgrades',
  adopt: false,
  deadlineInMs: 60_000,
  nodes: 1,
  seed: 7,
};
