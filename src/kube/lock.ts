import type { V1DaemonSet } from '@kubernetes/client-node';
import { from, type Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { LockActorInput } from '../../machines/run.ts';
import type { KubeClient } from './client.ts';
import { daemonSetPath, lockOf, lockPatch } from './daemonset.ts';
import { ApiError } from './errors.ts';

/** GET of the DaemonSet: lock.read or api.failed, once. */
export function readLock(client: KubeClient, input: LockActorInput): Observable<RunEvent> {
  const { namespace, daemonSet } = input;
  const path = daemonSetPath(namespace, daemonSet);
  return attempt('Get: ', async () => {
    const object = (await client.request({ method: 'GET', path })) as V1DaemonSet;
    return { type: 'lock.read', lock: lockOf(object) };
  });
}

/** Sets the annotation to this node: lock.updated, lock.conflicted or api.failed, once. */
export function acquireLock(client: KubeClient, input: LockActorInput): Observable<RunEvent> {
  return patchLock(client, input, input.node);
}

/** Clears the annotation: lock.updated, lock.conflicted or api.failed, once. */
export function releaseLock(client: KubeClient, input: LockActorInput): Observable<RunEvent> {
  return patchLock(client, input, null);
}

function patchLock(
  client: KubeClient,
  { namespace, daemonSet, lock }: LockActorInput,
  value: string | null,
): Observable<RunEvent> {
  return attempt('', async () => {
    const object = await client.request({
      method: 'PATCH',
      path: daemonSetPath(namespace, daemonSet),
      contentType: 'application/merge-patch+json',
      body: lockPatch(value, lock.resourceVersion),
    });
    return { type: 'lock.updated', lock: lockOf(object as V1DaemonSet) };
  });
}

/** One request as one event; the stream never errors. */
function attempt(prefix: string, request: () => Promise<RunEvent>): Observable<RunEvent> {
  return from(request().catch((error: unknown) => failure(prefix, error)));
}

export function failure(prefix: string, error: unknown): RunEvent {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof ApiError ? error.code : null;
  if (code === 409) return { type: 'lock.conflicted', message };
  return { type: 'api.failed', message: `${prefix}${message}`, ...(code === null ? {} : { code }) };
}
