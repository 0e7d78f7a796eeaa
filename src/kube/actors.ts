import {
  catchError,
  concatMap,
  filter,
  from,
  ignoreElements,
  last,
  map,
  merge,
  type Observable,
  of,
  share,
  takeUntil,
} from 'rxjs';
import { fromEventObservable } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import type { runMachine } from '../../machines/run.ts';
import type {
  ClearInput,
  DrainInput,
  LockActorInput,
  MarkInput,
  NodeInput,
  ReportInput,
} from '../../machines/setup.ts';
import type { KubeClient } from './client.ts';
import { REAL_CLOCK, WALL_CLOCK, type WatchClock } from './clock.ts';
import { cordonNode, uncordonNode } from './cordon.ts';
import { drainNode } from './drain.ts';
import { blockedMessage, reportDrain } from './drain-condition.ts';
import { acquireLock, readLock, releaseLock } from './lock.ts';
import type { NodePort } from './node.ts';
import { clearReboot, markReboot } from './reboot.ts';
import { WATCH_LIMITS, type WatchHistory, type WatchLimits, watchLock } from './watch.ts';

type LockCall = (client: KubeClient, input: LockActorInput) => Observable<RunEvent>;

export interface KubePorts {
  client: KubeClient;
  node: NodePort;
  /** Told of what could not be written and keeps nothing from going on. */
  warn(message: string): void;
  limits?: WatchLimits;
  /** What a watch is measured by. */
  clock?: WatchClock;
  /** The time of annotations and conditions. */
  wall?: WatchClock;
}

/** The run machine's actors towards Kubernetes. */
export function kubeActors({
  client,
  node,
  warn,
  limits = WATCH_LIMITS,
  clock = REAL_CLOCK,
  wall = WALL_CLOCK,
}: KubePorts): Omit<
  Parameters<typeof runMachine.provide>[0]['actors'] & object,
  'upgradeHost' | 'rebootHost'
> {
  const history: WatchHistory = { failures: 0 };
  const lock = (call: LockCall) =>
    fromEventObservable<RunEvent, LockActorInput>(({ input }) => call(client, input));
  return {
    readLock: lock(readLock),
    watchLock: lock((_, input) => watchLock(client, input, limits, clock, history)),
    acquireLock: lock(acquireLock),
    releaseLock: lock(releaseLock),
    reportNode: fromEventObservable<RunEvent, ReportInput>(({ input }) => node.report(input)),
    cordonNode: fromEventObservable<RunEvent, NodeInput>(({ input }) =>
      cordonNode(client, input.node),
    ),
    drainNode: fromEventObservable<RunEvent, DrainInput>(({ input }) =>
      drainReporting(client, input, wall, warn),
    ),
    uncordonNode: fromEventObservable<RunEvent, NodeInput>(({ input }) =>
      uncordonNode(client, input.node),
    ),
    markReboot: fromEventObservable<RunEvent, MarkInput>(({ input }) =>
      markReboot(client, { ...input, nowMs: wall.nowMs() }, warn),
    ),
    clearReboot: fromEventObservable<RunEvent, ClearInput>(({ input }) =>
      clearReboot(client, input.node, input.outcome, wall.nowMs(), warn).pipe(
        concatMap((event) => reread(node, event)),
      ),
    ),
  };
}

/** The next report goes on from the conditions as they are now; without them from the known ones. */
function reread(node: NodePort, event: RunEvent): Observable<RunEvent> {
  return from(node.load()).pipe(
    map(() => event),
    catchError(() => of(event)),
  );
}

/** A drain whose refused evictions stand on the Node, too, while they last. */
function drainReporting(
  client: KubeClient,
  { node, disruption }: DrainInput,
  wall: WatchClock,
  warn: (message: string) => void,
): Observable<RunEvent> {
  const events = drainNode(client, { node, ...disruption }, wall, warn).pipe(share());
  const reports = events.pipe(
    filter((event) => event.type === 'pod.blocked'),
    concatMap((event) => {
      return reportDrain(client, node, blockedMessage(event), wall.nowMs(), warn);
    }),
    ignoreElements(),
    takeUntil(events.pipe(last(null, null))),
  );
  return merge(reports, events);
}
