import type { HostStatus, RunEvent, RunInput } from '../../machines/events.ts';
import { advance, start, stateName } from '../../machines/fold.ts';
import { disruptionOf, type RunContext } from '../../machines/setup.ts';
import { createRandom, type Random } from '../../src/rehearsal/random.ts';
import { formatLine } from '../../src/trace/format.ts';

const ROW_TIME = '2026/12/01 04:30:45 ';
const NODE = 'n1';
const DRAINED = 'node/n1 cordoned\nevicting pod a/p1\nnode/n1 drained';
const FAILED = { type: 'api.failed', message: 'Get: connection refused' } as const;
const CONFLICT = { type: 'lock.conflicted', message: 'Conflict: the object was modified' } as const;

/** What may come in a state, by the end of its name; the likely more than once. */
const OPTIONS: [RegExp, (random: Random, context: RunContext) => RunEvent[]][] = [
  [/spread$/, () => [{ type: 'spread.elapsed' }]],
  [/standby$/, () => [{ type: 'standby.elapsed' }]],
  [/conflict$/, () => [{ type: 'conflict.elapsed' }]],
  [/backoff$/, () => [{ type: 'backoff.elapsed' }]],
  [/acquiring\.get$/, () => [lockRead(''), lockRead(''), lockRead('n2'), lockRead(NODE), FAILED]],
  [/held$/, () => [changed(''), changed('n3'), { type: 'lock.watch.ended', message: 'closed' }]],
  [/acquiring.*update$/, () => [updated(NODE), updated(NODE), updated(NODE), CONFLICT, FAILED]],
  [/releasing\.update$/, () => [updated(''), updated(''), updated(''), CONFLICT, FAILED]],
  [/fence$/, () => [updated(NODE)]],
  [/(get|confirming)$/, () => [...Array(6).fill(lockRead(NODE)), lockRead('n2'), FAILED]],
  [/upgrading$/, upgraded],
  [/(reporting|undrained)$/, () => [{ type: 'node.reported' }]],
  [/\.cordoning$/, ({ next }) => [{ type: 'node.cordoned', before: next() < 0.2 }, FAILED]],
  [/evicting$/, evicted],
  [/marking$/, () => [{ type: 'reboot.marked', at: '2026-12-01T04:30:45.000Z', atMs: 1 }, FAILED]],
  [
    /requesting$/,
    () => [
      { type: 'reboot.requested' },
      { type: 'reboot.refused', message: 'Failed to reboot host: denied' },
    ],
  ],
  [/waiting$/, () => [{ type: 'reboot.expired' }]],
  [/clearing$/, () => [{ type: 'reboot.cleared' }, FAILED]],
  [/patching$/, ({ next }) => [{ type: 'node.uncordoned', done: next() < 0.9 }, FAILED]],
];

/** The classic log of one run in one process, drawn from the seed; it stops after 80 events. */
export function walk(seed: number): string {
  const random = createRandom(seed, 'walk');
  const input = inputOf(random);
  const rows = [
    'host-upgrades version 0.1.0 (Node v24)',
    ...(input.daemonSet === ''
      ? []
      : ['Using --kube-namespace=ns --kube-daemonset=ds --kube-node=n1']),
    'Schedule run started, deadline at 2026-12-01 05:30:45 +0000 UTC',
  ];
  let step = start(input);
  for (let count = 0; count < 80; count += 1) {
    rows.push(...step.lines.map((line) => formatLine(line, input)));
    if (step.snapshot.status !== 'active') break;
    step = advance(step.snapshot, nextEvent(random, step.snapshot)) ?? step;
  }
  return rows.map((row) => `${ROW_TIME}${row}\n`).join('');
}

function nextEvent(random: Random, { value, context }: ReturnType<typeof start>['snapshot']) {
  const state = stateName(value);
  if (state.startsWith('locked') && disruptionOf(context).hardWindow && random.next() < 0.05) {
    return { type: 'window.closed' } as const;
  }
  const options = OPTIONS.find(([pattern]) => pattern.test(state))?.[1];
  if (options === undefined) throw new Error(`nothing comes in ${state}`);
  return random.pick(options(random, context));
}

function inputOf({ next }: Random): RunInput {
  const isNative = next() < 0.1;
  const hardWindow = next() < 0.3;
  const disruption = {
    ...disruptionOf({}),
    reboot: next() < 0.85,
    drain: !isNative && next() < 0.7,
    drainBefore: next() < 0.3 ? ('upgrade' as const) : ('reboot' as const),
    hardWindow,
  };
  return {
    node: NODE,
    namespace: isNative ? '' : 'ns',
    daemonSet: isNative ? '' : 'ds',
    adopt: false,
    deadlineInMs: 3_600_000,
    nodes: next() < 0.5 ? 1 : 3,
    seed: 1,
    boot: { bootId: 'b1', bootMs: 1_000, atMs: 2_000 },
    isRebootPending: disruption.reboot && hardWindow && next() < 0.3,
    disruption,
  };
}

let version = 0;

function lock(value: string) {
  version += 1;
  return { value, resourceVersion: String(version) };
}

function lockRead(value: string): RunEvent {
  return { type: 'lock.read', lock: lock(value) };
}

function changed(value: string): RunEvent {
  return { type: 'lock.changed', lock: lock(value) };
}

function updated(value: string): RunEvent {
  return { type: 'lock.updated', lock: lock(value) };
}

function upgraded({ next }: Random): RunEvent[] {
  const rebootRequired = next() < 0.7;
  const status: HostStatus = {
    rebootRequired,
    detail: `${rebootRequired ? '2026-12-01 ' : ''}upgraded\n two rows`,
    ...(rebootRequired ? { rebootMessage: 'linux-image' } : {}),
  };
  return [
    { type: 'upgrade.finished', status },
    { type: 'upgrade.finished', status },
    { type: 'upgrade.failed', status, message: 'exit status 1\ndpkg: error' },
    { type: 'upgrade.output', text: 'Unpacking foo ...' },
  ];
}

function evicted(): RunEvent[] {
  return [
    { type: 'pod.evicted', pod: 'a/p1' },
    { type: 'pod.blocked', pod: 'a/p2', budget: 'web', message: 'Cannot evict', retryInMs: 1_000 },
    { type: 'pod.gone', pod: 'a/p1' },
    { type: 'node.drained', output: DRAINED },
    { type: 'drain.expired' },
    { type: 'drain.failed', message: 'pod a/p1 cannot be evicted: denied' },
  ];
}
