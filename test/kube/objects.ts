import { KubeConfig } from '@kubernetes/client-node';
import { firstValueFrom, lastValueFrom, type Observable, ReplaySubject, skip, toArray } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { LOCK_ANNOTATION, type LockObject } from '../../machines/lock.ts';
import type { LockActorInput } from '../../machines/setup.ts';
import { type ClientOptions, createClient, type KubeClient } from '../../src/kube/client.ts';
import { type Answer, kubeconfig, type RequestInit } from '../cluster/cluster.ts';

/** Anything that speaks the API: the real API server, or the embedded one. */
export interface Server {
  kubeconfig: string;
  request(path: string, init?: RequestInit): Promise<Answer>;
}

const DAEMON_SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets';
export const MERGE_PATCH = 'application/merge-patch+json';

export const daemonSetPath = (name: string) => `${DAEMON_SETS}/${name}`;

/** Creates a DaemonSet with `annotations`; returns its resourceVersion. */
export async function createDaemonSet(
  server: Server,
  name: string,
  annotations: Record<string, string> = {},
): Promise<string> {
  const labels = { app: name };
  const { status, body } = await server.request(DAEMON_SETS, {
    method: 'POST',
    body: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace: 'kube-system', annotations },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'main', image: 'example/none' }] },
        },
      },
    },
  });
  if (status !== 201) throw new Error(`POST ${name}: ${status} ${JSON.stringify(body)}`);
  return body.metadata.resourceVersion;
}

/** Sets or clears (null) an annotation, the lock's by default; returns the new resourceVersion. */
export async function annotate(
  server: Server,
  name: string,
  value: string | null,
  annotation = LOCK_ANNOTATION,
): Promise<string> {
  const { status, body } = await server.request(daemonSetPath(name), {
    method: 'PATCH',
    type: MERGE_PATCH,
    body: { metadata: { annotations: { [annotation]: value } } },
  });
  if (status !== 200) throw new Error(`PATCH ${name}: ${status} ${JSON.stringify(body)}`);
  return body.metadata.resourceVersion;
}

export async function createNode(server: Server, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  const { status } = await server.request('/api/v1/nodes', { method: 'POST', body });
  if (status !== 201) throw new Error(`POST node ${name}: ${status}`);
}

/** A client that does not wait after a refused token, unless told to. */
export function clientOf(
  kubeconfig: string,
  options: Partial<ClientOptions> & { server?: string; token?: string } = {},
): KubeClient {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const { server, token, ...given } = options;
  if (token !== undefined) config.users = [{ name: 'test', token }];
  if (server !== undefined) {
    config.clusters = config.clusters.map((cluster) => ({ ...cluster, server }));
  }
  return createClient(config, {
    userAgent: 'host-upgrades-test',
    unauthorizedPausesMs: [],
    ...given,
  });
}

/** A client of a plain HTTP server with a bearer token. */
export function clientAt(url: string, options: Partial<ClientOptions> = {}): KubeClient {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig(url, null, 'token'));
  return createClient(config, {
    userAgent: 'host-upgrades-test',
    unauthorizedPausesMs: [],
    ...options,
  });
}

/** Resolves with the next events of a stream, one a call. Rejects once it has ended. */
export function queueOf(events: Observable<RunEvent>) {
  const seen = new ReplaySubject<RunEvent>();
  const subscription = events.subscribe(seen);
  let index = 0;
  return {
    next: () => {
      const at = index;
      index += 1;
      return firstValueFrom(seen.pipe(skip(at)));
    },
    stop: () => subscription.unsubscribe(),
  };
}

export function inputOf(daemonSet: string, lock: LockObject, node = 'node-1'): LockActorInput {
  return { node, namespace: 'kube-system', daemonSet, lock };
}

export const one = (events: Observable<RunEvent>) => firstValueFrom(events);
export const all = (events: Observable<RunEvent>) => lastValueFrom(events.pipe(toArray()));
