import { KubeConfig } from '@kubernetes/client-node';
import { of } from 'rxjs';
import { createActor, fromEventObservable, waitFor } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import { runMachine } from '../../machines/run.ts';
import { kubeActors } from '../../src/kube/actors.ts';
import { createClient, type KubeClient } from '../../src/kube/client.ts';
import { createNode } from '../../src/kube/node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import {
  annotate,
  createDaemonSet,
  createNode as createNodeObject,
  daemonSetPath,
  MERGE_PATCH,
} from '../kube/objects.ts';

export interface Rollout {
  nodes: number;
  /** Requests from the tick on, counted as `verb code`: `GET 200`, `WATCH 200`, `PATCH 409`. */
  requests: Record<string, number>;
  requestsANode: number;
  conflicts: number;
  /** From one node's release to the next one's acquire, ms, in the order they happened. */
  handOffsMs: number[];
  seconds: number;
  /** The order in which the nodes held the lock, and whether two ever did at once. */
  order: string[];
  overlaps: number;
}

/**
 * A whole rollout of `nodes` machines, each with its own client, on a real API server: all tick at
 * once, upgrades take no time. Node names begin with `prefix`. With `isHeld` another holder keeps
 * the lock until every node waits for it.
 */
export async function rollout(
  cluster: Cluster,
  nodes: number,
  prefix: string,
  isHeld: boolean,
): Promise<Rollout> {
  await createDaemonSet(cluster, prefix);
  const { status } = await cluster.request(`${daemonSetPath(prefix)}/status`, {
    method: 'PATCH',
    type: MERGE_PATCH,
    body: { status: { desiredNumberScheduled: nodes } },
  });
  if (status !== 200) throw new Error(`PATCH status of ${prefix}: ${status}`);
  const names = Array.from({ length: nodes }, (_, index) => `${prefix}-${index + 1}`);
  for (const name of names) await createNodeObject(cluster, name);

  const requests: Record<string, number> = {};
  const clients = names.map((name) => counted(clientFor(cluster.kubeconfig, name), requests));
  const ports = await Promise.all(
    names.map(async (name, index) => {
      const client = clients[index] as KubeClient;
      const node = createNode(client, name, Date.now, (message) => {
        throw new Error(message);
      });
      await node.load();
      return { name, client, node };
    }),
  );
  for (const key of Object.keys(requests)) delete requests[key];
  if (isHeld) await annotate(cluster, prefix, 'another-holder');
  let waiting = 0;

  const held = { by: '', releasedAtMs: null as number | null, overlaps: 0 };
  const order: string[] = [];
  const handOffsMs: number[] = [];
  const startedAtMs = performance.now();
  const ended = ports.map(({ name, client, node }, index) => {
    const machine = runMachine.provide({
      actors: {
        ...kubeActors({ client, node, warn: process.emitWarning }),
        upgradeHost: fromEventObservable<RunEvent, { node: string; resumed: boolean }>(() =>
          of({ type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } }),
        ),
      },
    });
    const input = {
      node: name,
      namespace: 'kube-system',
      daemonSet: prefix,
      adopt: false,
      deadlineInMs: 300_000,
      nodes,
      seed: index + 1,
    };
    const actor = createActor(machine, { input });
    let was = '';
    let isWaiting = false;
    actor.subscribe((snapshot) => {
      if (isHeld && !isWaiting && snapshot.matches({ acquiring: 'watch' })) {
        isWaiting = true;
        waiting += 1;
        if (waiting === nodes) void annotate(cluster, prefix, null);
      }
      const is =
        typeof snapshot.value === 'string' ? snapshot.value : Object.keys(snapshot.value)[0];
      if (is === 'locked' && was === 'acquiring') {
        if (held.by !== '') held.overlaps += 1;
        held.by = name;
        order.push(name);
        if (held.releasedAtMs !== null) handOffsMs.push(performance.now() - held.releasedAtMs);
      }
      // Until the release is answered nobody else can be known to hold it.
      if (is === 'releasing' && was === 'locked') held.by = '';
      if (is === 'done' && held.by === '') held.releasedAtMs = performance.now();
      was = is ?? '';
    });
    actor.start();
    return waitFor(actor, (snapshot) => snapshot.status === 'done', { timeout: 300_000 });
  });
  const last = await Promise.all(ended);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await Promise.all(clients.map((client) => client.close()));
  const failed = last.filter(({ value }) => value !== 'done').length;
  if (failed > 0) throw new Error(`${failed} of ${nodes} runs failed`);
  const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return {
    nodes,
    requests,
    requestsANode: total / nodes,
    conflicts: requests['PATCH 409'] ?? 0,
    handOffsMs,
    seconds,
    order,
    overlaps: held.overlaps,
  };
}

function clientFor(kubeconfig: string, name: string): KubeClient {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return createClient(config, { userAgent: `host-upgrades/${name}` });
}

function counted(client: KubeClient, requests: Record<string, number>): KubeClient {
  const count = async <T>(verb: string, request: Promise<T>): Promise<T> => {
    const add = (code: number | string) => {
      requests[`${verb} ${code}`] = (requests[`${verb} ${code}`] ?? 0) + 1;
    };
    try {
      const result = await request;
      add(200);
      return result;
    } catch (error) {
      add((error as { code?: number }).code ?? 'none');
      throw error;
    }
  };
  return {
    ...client,
    request: (spec, signal) => count(spec.method, client.request(spec, signal)),
    open: (spec, signal) => count('WATCH', client.open(spec, signal)),
  };
}

/** The value below which `share` (0 to 1) of the values lie. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
