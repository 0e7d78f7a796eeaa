import type { FaultyRequest } from './apiserver.ts';
import type { Fault } from './faults.ts';
import type { RebootFailure } from './hosts.ts';
import type { Delay } from './network.ts';

/** Several faults as one; where two rule the same thing, the harder one does. */
export interface Combined extends Omit<Fault, 'mustFail'> {
  begin(): void;
  before(request: FaultyRequest): Promise<void>;
  after(request: FaultyRequest): Promise<void>;
  hostFailure(node: string): string | null;
  upgradeStarted(node: string): void;
  rebootFailure(node: string): RebootFailure | null;
  drainStarted(node: string): void;
  /** The node's host never comes back from its reboot. */
  isGone(node: string): boolean;
  mayFail(node: string, error: string): boolean;
  mustFail(node: string): boolean;
}

export function combine(faults: Fault[]): Combined {
  const delays = faults.flatMap(({ delay }) => (delay ? [delay] : []));
  const delay: Delay | undefined = delays.toSorted((one, other) => other[1] - one[1])[0];
  const rebootFailure = (node: string) =>
    faults.map((fault) => fault.rebootFailure?.(node) ?? null).find((how) => how !== null) ?? null;
  const blockedNode = faults.map((fault) => fault.blockedNode).find((node) => node !== undefined);
  return {
    ...(delay ? { delay } : {}),
    ...least(faults, 'windowMs'),
    ...least(faults, 'stallMs'),
    ...(blockedNode === undefined ? {} : { blockedNode }),
    begin() {
      for (const fault of faults) fault.begin?.();
    },
    async before(request) {
      for (const fault of faults) await fault.before?.(request);
    },
    async after(request) {
      for (const fault of faults) await fault.after?.(request);
    },
    hostFailure: (node) =>
      faults.map((fault) => fault.hostFailure?.(node) ?? null).find((why) => why !== null) ?? null,
    upgradeStarted(node) {
      for (const fault of faults) fault.upgradeStarted?.(node);
    },
    rebootFailure,
    drainStarted(node) {
      for (const fault of faults) fault.drainStarted?.(node);
    },
    isGone: (node) => rebootFailure(node) === 'dead',
    mayFail: (node, error) => faults.some((fault) => fault.mayFail?.(node, error)),
    mustFail: (node) => faults.some((fault) => fault.mustFail?.includes(node)),
  };
}

function least<Key extends 'windowMs' | 'stallMs'>(
  faults: Fault[],
  key: Key,
): Partial<Record<Key, number>> {
  const values = faults.flatMap((fault) => fault[key] ?? []);
  return values.length === 0
    ? {}
    : ({ [key]: Math.min(...values) } as Partial<Record<Key, number>>);
}
