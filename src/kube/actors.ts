import type { Observable } from 'rxjs';
import { fromEventObservable } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import type { runMachine } from '../../machines/run.ts';
import type { LockActorInput, ReportInput } from '../../machines/setup.ts';
import type { KubeClient } from './client.ts';
import { REAL_CLOCK, type WatchClock } from './clock.ts';
import { acquireLock, readLock, releaseLock } from './lock.ts';
import type { NodePort } from './node.ts';
import { WATCH_LIMITS, type WatchHistory, type WatchLimits, watchLock } from './watch.ts';

type LockCall = (client: KubeClient, input: LockActorInput) => Observable<RunEvent>;

/** The run machine's actors towards Kubernetes. */
export function kubeActors(
  client: KubeClient,
  node: NodePort,
  limits: WatchLimits = WATCH_LIMITS,
  clock: WatchClock = REAL_CLOCK,
): Pick<
  Parameters<typeof runMachine.provide>[0]['actors'] & object,
  'readLock' | 'watchLock' | 'acquireLock' | 'releaseLock' | 'reportNode'
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
  };
}
