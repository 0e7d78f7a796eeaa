import type { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { LockObject } from '../../machines/lock.ts';
import type { LockActorInput } from '../../machines/setup.ts';
import { attempt } from './attempt.ts';
import type { KubeClient } from './client.ts';
import { lockOf, lockPatch } from './daemonset.ts';
import { ApiError } from './errors.ts';
import { daemonSetPath } from './paths.ts';

/** GET of the DaemonSet. Throws ApiError. */
export async function getLock(
  client: KubeClient,
  { namespace, daemonSet }: Pick<LockActorInput, 'namespace' | 'daemonSet'>,
  signal?: AbortSignal,
  timeoutMs?: number,
): Promise<LockObject> {
  const path = daemonSetPath(namespace, daemonSet);
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return lockOf(await client.request({ method: 'GET', path, ...limit }, signal));
}

/** GET of the DaemonSet: lock.read or api.failed, once. */
export function readLock(client: KubeClient, input: LockActorInput): Observable<RunEvent> {
  return attempt('Get: ', async (signal) => ({
    type: 'lock.read',
    lock: await getLock(client, input, signal),
  }));
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
  return attempt('', async (signal) => {
    const spec = {
      method: 'PATCH' as const,
      path: daemonSetPath(namespace, daemonSet),
      contentType: 'application/merge-patch+json',
      body: lockPatch(value, lock.resourceVersion),
    };
    try {
      return { type: 'lock.updated', lock: lockOf(await client.request(spec, signal)) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 409) throw error;
      return { type: 'lock.conflicted', message: error.message };
    }
  });
}
