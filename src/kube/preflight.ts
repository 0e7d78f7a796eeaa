import type { V1DaemonSet, V1Node } from '@kubernetes/client-node';
import type { LockObject } from '../../machines/lock.ts';
import type { KubeClient } from './client.ts';
import { lockOf } from './daemonset.ts';
import { ApiError } from './errors.ts';
import { daemonSetPath, nodePath } from './paths.ts';

export class ClusterError extends Error {}

export type Checked =
  | { kind: 'ok'; lock: LockObject; node: V1Node }
  | { kind: 'unreachable'; message: string };

export async function checkCluster(
  client: KubeClient,
  { namespace, daemonSet, node }: { namespace: string; daemonSet: string; node: string },
): Promise<Checked> {
  try {
    const object = await client.request({
      method: 'GET',
      path: daemonSetPath(namespace, daemonSet),
    });
    const nodeObject = await client.request({ method: 'GET', path: nodePath(node) });
    return { kind: 'ok', lock: lockOf(object as V1DaemonSet), node: nodeObject as V1Node };
  } catch (error) {
    if (error instanceof ApiError && error.code === null) {
      return { kind: 'unreachable', message: error.message };
    }
    throw new ClusterError((error as Error).message);
  }
}
