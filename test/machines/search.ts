import type { RunEvent, RunInput } from '../../machines/events.ts';
import { advance, type RunSnapshot, start, stateName } from '../../machines/fold.ts';

/** A patch on its way: it lands where the object still is of the version it was sent with. */
interface Patch {
  version: number;
  to: string;
}

/** One node's run beside a store that another node uses too. */
interface World {
  holder: string;
  version: number;
  /** Patches whose answers were lost and that may land at any later time. */
  underway: Patch[];
  /** What the run's watch has shown. */
  shownVersion: number;
  snapshot: RunSnapshot;
  kills: number;
}

export interface Found {
  worlds: number;
  /** What was violated, with the shortest way there. */
  violations: Map<string, string[]>;
}

export type Advance = typeof advance;

const NODE = 'node-1';
const INPUT: RunInput = {
  node: NODE,
  namespace: 'kube-system',
  daemonSet: 'host-upgrades',
  adopt: false,
  deadlineInMs: 10_000,
  nodes: 2,
  seed: 1,
};
const LOST: RunEvent = { type: 'api.failed', message: 'no answer' };
const REFUSED: RunEvent = { type: 'api.failed', message: 'forbidden', code: 403 };
const CONFLICT: RunEvent = { type: 'lock.conflicted', message: 'modified' };
const RESUMED: RunEvent = { type: 'run.resumed', deadlineInMs: 1 };
const STATUS = { rebootRequired: false, detail: '' };

/**
 * Goes through every interleaving of up to `depth` steps: requests that are answered, refused,
 * lost before or after they were carried out or carried out late, another node that takes and
 * frees the lock, the deadline, a stop, and at most one kill of the process. `step` is the
 * machine's, or one that is broken on purpose.
 */
export function search(depth: number, step: Advance = advance): Found {
  const violations = new Map<string, string[]>();
  const seen = new Map<string, number>();
  let worlds = 0;

  const visit = (world: World, path: string[]): void => {
    worlds += 1;
    for (const what of violated(world)) {
      const known = violations.get(what);
      if (!known || known.length > path.length) violations.set(what, path);
    }
    const left = depth - path.length;
    if (world.snapshot.status !== 'active' || left === 0) return;
    const key = keyOf(world);
    if ((seen.get(key) ?? -1) >= left) return;
    seen.set(key, left);
    for (const [name, next] of successors(world, step)) visit(next, [...path, name]);
  };
  visit(
    {
      holder: '',
      version: 1,
      underway: [],
      shownVersion: 1,
      snapshot: start(INPUT).snapshot,
      kills: 0,
    },
    [],
  );
  return { worlds, violations };
}

function violated({ holder, version, underway, snapshot }: World): string[] {
  const state = stateName(snapshot.value);
  if (snapshot.status !== 'active') {
    const mayLand = underway.some((patch) => patch.to === NODE && patch.version === version);
    return [
      ...(holder === NODE ? [`${state}, and the lock is still held`] : []),
      ...(mayLand ? [`${state}, and an acquire may still land`] : []),
    ];
  }
  return state === 'locked.upgrading' && holder !== NODE ? ['upgrading without the lock'] : [];
}

function keyOf(world: World): string {
  const { snapshot, ...rest } = world;
  const {
    backoffMs: _,
    waitMs: __,
    seed: ___,
    seen: ____,
    standbySlotMs: _____,
    ...context
  } = snapshot.context;
  return JSON.stringify([snapshot.value, context, rest]);
}

type Step = [name: string, world: World];

function successors(world: World, step: Advance): Step[] {
  const steps: Step[] = [];
  const take = (name: string, event: RunEvent, base: World = world) => {
    const next = step(base.snapshot, event);
    if (next) steps.push([name, moved(base, next.snapshot, event)]);
  };
  const kill = (base: World) => {
    if (world.kills > 0) return;
    const interrupted = step(base.snapshot, { type: 'run.interrupted' });
    const resumed = interrupted && step(interrupted.snapshot, RESUMED);
    if (resumed) steps.push(['killed', { ...base, snapshot: resumed.snapshot, kills: 1 }]);
  };
  const state = stateName(world.snapshot.value);
  const own = { value: world.holder, resourceVersion: `${world.version}` };

  if (world.holder === '') steps.push(['another takes the lock', write(world, 'node-2')]);
  if (world.holder === 'node-2') steps.push(['another frees the lock', write(world, '')]);
  for (const [index, patch] of world.underway.entries()) {
    const underway = world.underway.filter((_, other) => other !== index);
    steps.push(['a late patch lands', land({ ...world, underway }, patch)]);
  }
  const sent = sentPatch(state, world);
  if (sent) {
    const carriedOut = land(world, sent);
    const pending = { ...world, underway: [...world.underway, sent] };
    const hits = sent.version === world.version;
    const answer: RunEvent = hits
      ? {
          type: 'lock.updated',
          lock: { value: carriedOut.holder, resourceVersion: `${carriedOut.version}` },
        }
      : CONFLICT;
    take('answered', answer, carriedOut);
    take('refused', REFUSED);
    for (const [how, base] of [
      ['carried out', carriedOut],
      ['on its way', pending],
    ] as const) {
      take(`lost, ${how}`, LOST, base);
      take(`deadline, ${how}`, { type: 'deadline.reached' }, base);
      take(`stop, ${how}`, { type: 'stop.requested' }, base);
      kill(base);
    }
  } else {
    take('read', { type: 'lock.read', lock: own });
    take('failed', LOST);
    take('refused', REFUSED);
    take('deadline', { type: 'deadline.reached' });
    // Told to stop with the lock held it rests, and goes on as after a kill.
    if (!state.startsWith('locked')) take('stop', { type: 'stop.requested' });
    kill(world);
  }
  if (world.version > world.shownVersion && state.includes('watch')) {
    const shown = { ...world, shownVersion: world.version };
    take('watch', { type: 'lock.changed', lock: own }, shown);
  }
  take('watch ends', { type: 'lock.watch.ended', message: 'closed' });
  for (const wait of ['spread', 'conflict', 'standby', 'backoff'] as const) {
    take(`${wait} elapsed`, { type: `${wait}.elapsed` });
  }
  take('upgraded', { type: 'upgrade.finished', status: STATUS });
  take('reported', { type: 'node.reported' });
  return steps;
}

/** The patch that is out in a state, or null. */
function sentPatch(state: string, { snapshot }: World): Patch | null {
  const { lock, updateVersion } = snapshot.context;
  if (state === 'releasing.update') return { version: Number(lock.resourceVersion), to: '' };
  if (/\.(update|fence)$/.test(state)) return { version: Number(updateVersion), to: NODE };
  return null;
}

function moved(world: World, snapshot: RunSnapshot, event: RunEvent): World {
  // A watch begins with the version just read.
  const shownVersion = event.type === 'lock.read' ? world.version : world.shownVersion;
  return { ...world, snapshot, shownVersion };
}

function write(world: World, holder: string): World {
  return { ...world, holder, version: world.version + 1 };
}

function land(world: World, { version, to }: Patch): World {
  return version === world.version ? write(world, to) : world;
}
