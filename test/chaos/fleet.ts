import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord } from '../../src/journal/record.ts';
import { createRandom } from '../../src/rehearsal/random.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { type FaultyProxy, startProxy } from '../cluster/proxy.ts';
import { type Recorder, startRecorder } from '../cluster/recorder.ts';
import { install } from '../e2e/objects.ts';
import { createNode, daemonSetPath, MERGE_PATCH } from '../kube/objects.ts';
import { type Agent, createAgent } from './agent.ts';
import { bundleAgent } from './bundle.ts';
import { type Credentials, credentialsOf, SERVICE_ACCOUNT } from './credentials.ts';
import { type Fact, factOf, hostKey } from './facts.ts';
import { createHost, type Host } from './host.ts';

/** A node with all that is around its agent. */
export interface Member {
  name: string;
  agent: Agent;
  host: Host;
  proxy: FaultyProxy;
  credentials: Credentials;
  /** Its token is not renewed. */
  isTokenHeldBack: boolean;
}

/** A real API server and etcd, and agents as processes of their own with a proxy each. */
export interface Fleet {
  cluster: Cluster;
  recorder: Recorder;
  members: Member[];
  stop(): Promise<void>;
}

export interface FleetOptions {
  agents: number;
  seed: number;
  /** For logs, journals and the program. */
  folder: string;
  flags: readonly string[];
  /** The program broken on purpose; null: as it is. */
  variant: string | null;
  /** In etcd's order; the first of the fleet's own objects come before this resolves. */
  onFact(fact: Fact): void;
  onGap(error: Error): void;
  onRecord(node: string, record: JournalRecord): void;
  onText(node: string, text: string): void;
  onAnswer(node: string, answer: string): void;
  onAway(node: string): void;
  onBack(node: string): void;
  onForget(node: string): void;
  onExit(node: string, code: number | string, text: string): void;
  /** Whether hosts still may fail. */
  isHealed(): boolean;
  onError(error: unknown): void;
}

const TOKEN_RENEWAL_MS = 20_000;
const LOCK_KEY = `/registry/daemonsets/${SERVICE_ACCOUNT.namespace}/${SERVICE_ACCOUNT.name}`;

export const nodeNames = (agents: number) =>
  Array.from({ length: agents }, (_, index) => `node-${index + 1}`);

/** Starts everything but the agents' processes. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { folder, agents } = options;
  const begun: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of begun.splice(0).reverse()) await end();
  };
  try {
    mkdirSync(folder, { recursive: true });
    const bundle = await bundleAgent(folder, options.variant);
    const cluster = await startCluster({ isRecorded: true });
    begun.push(() => cluster.stop());
    const onChange = (change: Parameters<typeof factOf>[0]) => {
      const fact = factOf(change, LOCK_KEY, Date.now());
      if (fact) options.onFact(fact);
    };
    const recorder = await startRecorder(cluster.etcdUrl, onChange, options.onGap);
    begun.push(() => recorder.stop());
    await install(cluster);
    await setSize(cluster, agents);
    const makeCredentials = await credentialsOf(cluster);
    const members: Member[] = [];
    const { hostname, port } = new URL(cluster.url);
    for (const name of nodeNames(agents)) {
      await createNode(cluster, name);
      const proxy = await startProxy({ host: hostname, port: Number(port) });
      begun.push(() => proxy.close());
      const member = createMember(name, bundle, recorder, proxy, makeCredentials, options);
      begun.push(async () => {
        member.host.close();
        await member.agent.close();
      });
      members.push(member);
    }
    const renewal = setInterval(() => {
      for (const { credentials, isTokenHeldBack } of members) {
        if (!isTokenHeldBack) credentials.renewToken();
      }
    }, TOKEN_RENEWAL_MS);
    begun.push(() => clearInterval(renewal));
    return { cluster, recorder, members, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createMember(
  name: string,
  bundle: string,
  recorder: Recorder,
  proxy: FaultyProxy,
  makeCredentials: (folder: string) => Credentials,
  options: FleetOptions,
): Member {
  const folder = join(options.folder, name);
  const host = createHost(name, {
    random: createRandom(options.seed, `host ${name}`),
    mark: (change) => recorder.put(hostKey(name), change),
    // systemd tells all that run, and ends them a moment later.
    onShutdown: () => void agent.retire().catch(options.onError),
    onDown: () => agent.kill(null),
    onUp: () => agent.start(),
    isHealed: options.isHealed,
    onError: options.onError,
  });
  const agent = createAgent({
    name,
    folder,
    bundle,
    port: proxy.port,
    flags: options.flags,
    host,
    onRecord: (record) => options.onRecord(name, record),
    onText: (text) => options.onText(name, text),
    onAnswer: (answer) => options.onAnswer(name, answer),
    onAway: () => options.onAway(name),
    onBack: () => options.onBack(name),
    onForget: () => options.onForget(name),
    onExit: (code, text) => options.onExit(name, code, text),
  });
  const credentials = makeCredentials(join(folder, 'service-account'));
  return { name, agent, host, proxy, credentials, isTokenHeldBack: false };
}

/** What the controller of DaemonSets would say. */
async function setSize(cluster: Cluster, agents: number): Promise<void> {
  const { status } = await cluster.request(`${daemonSetPath(SERVICE_ACCOUNT.name)}/status`, {
    method: 'PATCH',
    type: MERGE_PATCH,
    body: { status: { desiredNumberScheduled: agents } },
  });
  if (status !== 200) throw new Error(`PATCH the status of the DaemonSet: ${status}`);
}
