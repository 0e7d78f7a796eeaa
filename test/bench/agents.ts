import { of } from 'rxjs';
import { createActor, fromEventObservable, waitFor } from 'xstate';
import type { RunEvent } from '../../machines/events.ts';
import { runMachine } from '../../machines/run.ts';
import { kubeActors } from '../../src/kube/actors.ts';
import { createClient, type KubeClient } from '../../src/kube/client.ts';
import { createNode } from '../../src/kube/node.ts';
import { serviceAccountConfig } from '../../src/kube/service-account.ts';
import { nowMs, type Turn } from './turns.ts';

/** A part of a fleet, and what its agents have to know. */
export interface Share {
  /** Where the API server is, and the folder with the token and the authority, as in a pod. */
  server: { host: string; port: string; folder: string };
  namespace: string;
  daemonSet: string;
  /** Nodes of the whole fleet. */
  nodes: number;
  /** Of these nodes, and how many of the fleet come before them. */
  names: string[];
  before: number;
  /** A whole run, the wait for the lock with it. */
  limitMs: number;
}

export interface Agents {
  /** All tick at once; resolves when the last one has had its turn. Throws where one fails. */
  tick(listener: AgentsListener): Promise<void>;
}

export interface AgentsListener {
  /** A node sees the lock taken for the first time, and watches it. */
  waiting(): void;
  turn(turn: Turn): void;
}

/** Agents with a client and a connection each, which have read their Node; their upgrades take no time. */
export async function startAgents(share: Share): Promise<Agents> {
  const { host, port, folder } = share.server;
  const agents = await Promise.all(
    share.names.map(async (name) => {
      const config = serviceAccountConfig(host, port, folder);
      const client = createClient(config, { userAgent: `host-upgrades/${name}` });
      const node = createNode(client, name, Date.now, (message) => {
        throw new Error(message);
      });
      await node.load();
      return { name, client, node };
    }),
  );
  return {
    async tick(listener) {
      const runs = agents.map((agent, index) => run(agent, share, index, listener));
      await Promise.all(runs);
    },
  };
}

interface Agent {
  name: string;
  client: KubeClient;
  node: ReturnType<typeof createNode>;
}

async function run(agent: Agent, share: Share, index: number, listener: AgentsListener) {
  const { name, client, node } = agent;
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
    namespace: share.namespace,
    daemonSet: share.daemonSet,
    adopt: false,
    deadlineInMs: share.limitMs,
    nodes: share.nodes,
    seed: share.before + index + 1,
  };
  const actor = createActor(machine, { input });
  const turn: Turn = { node: name, lockedAtMs: 0, releasingAtMs: 0, doneAtMs: 0 };
  let isWaiting = false;
  let was = '';
  actor.subscribe((snapshot) => {
    if (!isWaiting && snapshot.matches({ acquiring: 'watch' })) {
      isWaiting = true;
      listener.waiting();
    }
    const [is = ''] = [snapshot.value].flatMap((value) =>
      typeof value === 'string' ? value : Object.keys(value),
    );
    if (is === was) return;
    if (is === 'locked' && was === 'acquiring') turn.lockedAtMs = nowMs();
    if (is === 'releasing' && was === 'locked') turn.releasingAtMs = nowMs();
    if (is === 'done') turn.doneAtMs = nowMs();
    was = is;
  });
  actor.start();
  const last = await waitFor(actor, ({ status }) => status === 'done', { timeout: share.limitMs });
  if (last.value !== 'done') {
    throw new Error(`${name}: ${JSON.stringify(last.value)}: ${last.context.error}`);
  }
  listener.turn(turn);
}
