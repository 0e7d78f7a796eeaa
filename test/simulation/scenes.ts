import type { NodePlan, Plan, Step } from './plan.ts';

const NODE = 'node-1';
const NODE_PLAN: NodePlan = {
  name: NODE,
  program: 'ours',
  upgrade: 'ok',
  upgradeMs: 2_000,
  isRebootDue: true,
  rebootFailure: null,
  bootMs: 2_000,
  skewMs: 0,
};

interface Scene {
  plan?: Partial<Plan>;
  node?: Partial<NodePlan>;
  steps?: Step[];
}

/** In a state of the one node. */
const at = (state: string) => ({ atMs: 0, in: { node: NODE, state } });
const requests = { kind: 'requests', node: NODE, share: 1 } as const;
/** The upgrade takes longer than the window, so that its reboot is kept for the next one. */
const KEPT: Partial<Plan> = { reboot: true, hardWindow: true, windowMs: 20_000 };

/** What takes more than one fault in the right order, by the transition that it is about. */
export const SCENES: Readonly<Record<string, Scene>> = {
  'acquiring stop.requested [maybeHeld] -> releasing': {
    steps: [
      { ...requests, ...at('acquiring.get'), fate: 'lost', forMs: 3_000 },
      { kind: 'stop', ...at('acquiring.backoff'), node: NODE, downMs: 1_000 },
    ],
  },
  // Its own conflict is told before the watch tells of what has caused it.
  'acquiring.watch.conflict lock.changed -> acquiring.watch.standby': {
    plan: { nodes: [NODE_PLAN, { ...NODE_PLAN, name: 'node-2' }] },
    steps: [NODE, 'node-2'].flatMap((node): Step[] => [
      { kind: 'lag', atMs: 0, in: { node, state: 'acquiring.watch.standby' }, forMs: 90, lagMs: 9 },
      {
        ...{ kind: 'touch', atMs: 0, in: { node, state: 'acquiring.watch.update' } },
        ...{ forMs: 10, everyMs: 20 },
      },
    ]),
  },
  'locked.reporting node.reported [hasRebooted] -> locked.leaving': {
    plan: KEPT,
    node: { upgradeMs: 45_000, rebootDue: 'again' },
  },
  'locked.draining.evicting drain.failed -> locked.undrained': {
    plan: { reboot: true, drain: true },
    steps: [{ ...requests, ...at('locked.draining.evicting'), fate: 'forbidden', forMs: 90_000 }],
  },
  'locked.rebooting.requesting stop.requested -> interrupted': {
    plan: { reboot: true },
    node: { rebootFailure: 'silent' },
    steps: [{ kind: 'stop', ...at('locked.rebooting.requesting'), node: NODE, downMs: 1_000 }],
  },
  'locked.rebooting.backoff window.closed -> locked.leaving': {
    plan: { ...KEPT, windowMs: 60_000 },
    steps: [{ ...requests, ...at('locked.reporting'), fate: 'refused', forMs: 90_000 }],
  },
  'locked.rebooted.clearing reboot.cleared [isKeptFromBefore and isNative] -> locked.upgrading': {
    plan: { ...KEPT, isNative: true },
    node: { upgradeMs: 45_000 },
  },
  // The first mark comes late, in the middle of the upgrade behind the reboot; then the journal is lost.
  'locked.leaving at once [isMarked and hasRebooted] -> locked.rebooted': {
    plan: { ...KEPT, periodMs: 300_000, windowMs: 100_000, faultyMs: 1_000_000 },
    node: { upgradeMs: 110_000 },
    steps: [
      { ...requests, ...at('locked.rebooting.confirming'), fate: 'late', forMs: 3_000 },
      { kind: 'wipe', atMs: 700_000, node: NODE, downMs: 10 },
    ],
  },
  'releasing.fence lock.conflicted -> releasing.conflict': {
    plan: { windowMs: 20_000 },
    steps: [
      { ...requests, ...at('acquiring.get'), fate: 'hangs-before', forMs: 15_000 },
      { kind: 'touch', ...at('releasing.fence'), forMs: 300, everyMs: 20 },
    ],
  },
};

export function scenePlan({ plan = {}, node = {}, steps = [] }: Scene): Plan {
  return {
    seed: 1,
    faultyMs: 600_000,
    periodMs: 120_000,
    windowMs: 120_000,
    reboot: false,
    drain: false,
    drainBefore: 'reboot',
    hardWindow: false,
    nodes: [{ ...NODE_PLAN, ...node }],
    steps,
    isCrowd: false,
    ...plan,
  };
}
