import { readFileSync } from 'node:fs';
import type { V1DaemonSet, V1NodeCondition } from '@kubernetes/client-node';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { type Cluster, poll, startCluster } from '../cluster/cluster.ts';
import { type Host, startHost } from '../hosts/host.ts';
import { daemonSetPath } from '../kube/objects.ts';
import { type Agent, startAgent } from './agent.ts';
import { forbidden, parseAudit, unused } from './audit.ts';
import { type Controllers, startControllers } from './controllers.ts';
import { type Moment, momentsOf } from './history.ts';
import { type Kubelet, startKubelet } from './kubelet.ts';
import { install } from './objects.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import { grantsOf, USER } from './service-account.ts';
import { tickIn } from './tick.ts';
import { publish } from './updates.ts';

/** Time for the agents to start before their tick; who is late catches up on it. */
const TICK_IN_MS = 8_000;
const LIMIT_MS = 60_000;

/** A node: its host, what stands in for its kubelet, and its agent. */
export interface Member {
  name: string;
  host: Host;
  /** The one that was started last. Throws where none was. */
  agent(): Agent;
  /** How often its host has rebooted. */
  reboots(): number;
  /** From its next reboot on it stays down, until it is let up again. */
  stayDown(): void;
  letUp(): void;
}

/** A cluster with all its controllers, and real hosts for nodes with an agent on each. */
export interface Fleet {
  cluster: Cluster;
  members: Member[];
  /** A new package version on all hosts, which asks for a reboot when it is installed; the version. */
  publish(): string;
  /** Starts an agent on each node; all have a tick in a moment and none after that. */
  start(...flags: string[]): void;
  /** Waits until each agent's run has ended; how, by node. */
  ends(): Promise<Record<string, string>>;
  /** Stops the agents; each has ended with 0 when this resolves. */
  stopAgents(): Promise<void>;
  /** The member that the lock names; waits until it names one. */
  holder(): Promise<Member>;
  /** Waits until a condition of a Node, `STATUS/REASON`, matches. */
  sees(node: string, condition: string, pattern: RegExp): Promise<void>;
  /** All that has happened to the cluster. */
  moments(): Promise<Moment[]>;
  /** What the agents were refused, and what they may do and never did. */
  permissions(): Promise<{ forbidden: string[]; unused: string[] }>;
  stop(): Promise<void>;
}

/** Starts a fleet with `size` nodes: node-1, node-2 … */
export async function startFleet(size = 3): Promise<Fleet> {
  const begun: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of begun.reverse()) await end();
  };
  /** Remembers how to end what has begun, the last first. */
  const keep = <T>(part: T, end: (part: T) => Promise<unknown>): T => {
    begun.push(async () => void (await end(part)));
    return part;
  };
  try {
    const cluster = keep(
      await startCluster({ hasControllers: true, isRecorded: true, auditedUser: USER }),
      (part) => part.stop(),
    );
    const recorder: Recorder = keep(await startRecorder(cluster), (part) => part.stop());
    keep<Controllers>(await startControllers(cluster), (part) => part.stop());
    const daemonSet = await install(cluster);
    const names = Array.from({ length: size }, (_, index) => `node-${index + 1}`);
    const started = await Promise.allSettled(
      names.map(async (name) =>
        keep(await startMember(cluster, recorder, daemonSet, name), (part) => part.stop()),
      ),
    );
    const members = started.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
    const { name = '', namespace } = daemonSet.metadata ?? {};
    return {
      cluster,
      members,
      publish: () => publish(members.map(({ host }) => host)),
      start(...flags) {
        const schedule = tickIn(Date.now(), TICK_IN_MS);
        for (const member of members)
          member.start([
            `--schedule=${schedule}`,
            // All pods are on this machine, in one network.
            '--health-port=0',
            ...flags,
          ]);
      },
      async ends() {
        const ends = await Promise.all(members.map((member) => member.agent().ends()));
        return Object.fromEntries(members.map((member, index) => [member.name, ends[index] ?? '']));
      },
      async stopAgents() {
        for (const member of members) {
          const code = await member.agent().stop();
          if (code !== 0)
            throw new Error(`${member.name}: ended with ${code}:\n${member.agent().output()}`);
        }
      },
      async holder() {
        let found: Member | undefined;
        await poll(async () => {
          const { body } = await cluster.request(daemonSetPath(name));
          const lock = body.metadata.annotations?.[LOCK_ANNOTATION];
          found = members.find((member) => member.name === lock);
          return found !== undefined;
        }, LIMIT_MS);
        return found as Member;
      },
      sees: (node, type, pattern) =>
        poll(async () => {
          const { body } = await cluster.request(`/api/v1/nodes/${node}`);
          const conditions = body.status.conditions as V1NodeCondition[];
          const found = conditions.find((one) => one.type === type);
          return pattern.test(`${found?.status}/${found?.reason}`);
        }, LIMIT_MS),
      async permissions() {
        const entries = parseAudit(readFileSync(cluster.files.audit, 'utf8'));
        return {
          forbidden: forbidden(entries),
          unused: unused(entries, await grantsOf(cluster)),
        };
      },
      moments: async () => momentsOf(await recorder.changes(), `${namespace}/${name}`),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startMember(
  cluster: Cluster,
  recorder: Recorder,
  daemonSet: V1DaemonSet,
  name: string,
): Promise<Member & { start(flags: string[]): void; stop(): Promise<void> }> {
  let kubelet: Kubelet | null = null;
  let agent: Agent | null = null;
  let reboots = 0;
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const host = await startHost({
    async down() {
      recorder.host(name, false);
      await Promise.all([agent?.hostDown(), kubelet?.stop()]);
      await gate.promise;
    },
    async up() {
      reboots += 1;
      recorder.host(name, true);
      kubelet = await startKubelet(cluster, name);
      agent?.hostUp();
    },
  });
  kubelet = await startKubelet(cluster, name);
  return {
    name,
    host,
    agent() {
      if (agent === null) throw new Error(`${name} has no agent`);
      return agent;
    },
    reboots: () => reboots,
    stayDown() {
      gate = Promise.withResolvers<void>();
    },
    letUp: () => gate.resolve(),
    start(flags) {
      agent = startAgent(cluster, host, daemonSet, name, flags);
    },
    async stop() {
      await agent?.stop();
      const stopped = host.stop();
      gate.resolve();
      await stopped;
      await kubelet?.stop();
    },
  };
}
