import { Agent, fetch } from 'undici';
import { type Cluster, poll } from '../cluster/cluster.ts';
import type { Change } from './history.ts';

const ROOT = '/registry/';
/** Where the API server keeps what is recorded. */
const KINDS = { daemonsets: 'DaemonSet', minions: 'Node', pods: 'Pod' } as const;

/**
 * Everything that happens to a cluster, from its first moment on. It is read from etcd and not from
 * the API server: one order of all objects' changes, and nothing is missed while the server is down.
 */
export interface Recorder {
  /** All changes up to now. Throws where the record has a gap. */
  changes(): Promise<Change[]>;
  /** Notes what etcd does not know of. */
  host(name: string, isUp: boolean): void;
  stop(): Promise<void>;
}

interface WatchAnswer {
  result?: {
    header: { revision: string };
    created?: boolean;
    canceled?: boolean;
    cancel_reason?: string;
    compact_revision?: string;
    events?: EtcdEvent[];
  };
}

interface EtcdEvent {
  /** Not given: PUT. */
  type?: 'DELETE';
  kv: { key: string; mod_revision: string; value?: string };
}

/** Records a cluster that was started with `isRecorded`. */
export async function startRecorder({ etcdUrl }: Cluster): Promise<Recorder> {
  const changes: Change[] = [];
  let revision = 0;
  let failure: Error | null = null;
  const controller = new AbortController();
  // Quiet for as long as the cluster is.
  const agent = new Agent({ bodyTimeout: 0 });
  const range = { key: base64(ROOT), range_end: base64(ROOT.replace(/\/$/, '0')) };
  const post = (path: string, body: unknown) =>
    fetch(`${etcdUrl}/v3/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: controller.signal,
      dispatcher: agent,
    });
  const take = (line: string) => {
    const { result } = JSON.parse(line) as WatchAnswer;
    if (result === undefined || result.canceled) throw new Error(`the record has a gap: ${line}`);
    for (const event of result.events ?? []) {
      const change = changeOf(event);
      if (change) changes.push(change);
    }
    // The answer to the watch itself tells of the present, and not of what was sent.
    if (!result.created) revision = Number(result.header.revision);
  };
  const response = await post('watch', { create_request: { ...range, start_revision: '1' } });
  const read = async () => {
    let rest = '';
    for await (const chunk of response.body ?? []) {
      const lines = (rest + Buffer.from(chunk as Uint8Array).toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    }
    throw new Error('the record has ended');
  };
  const reading = read().catch((error: Error) => {
    failure = error;
  });
  return {
    async changes() {
      const answer = await post('kv/range', { ...range, count_only: true });
      const { header } = (await answer.json()) as { header: { revision: string } };
      await poll(async () => failure !== null || revision >= Number(header.revision), 20_000);
      if (failure) throw failure;
      return [...changes];
    },
    host(name, isUp) {
      changes.push({ revision, kind: 'Host', name, isUp });
    },
    async stop() {
      controller.abort();
      await reading;
      await agent.destroy();
    },
  };
}

function changeOf({ type, kv }: EtcdEvent): Change | null {
  const [folder = '', ...path] = Buffer.from(kv.key, 'base64')
    .toString()
    .slice(ROOT.length)
    .split('/');
  const kind = Object.hasOwn(KINDS, folder) ? KINDS[folder as keyof typeof KINDS] : undefined;
  if (kind === undefined) return null;
  const object =
    type === 'DELETE' ? null : JSON.parse(Buffer.from(kv.value ?? '', 'base64').toString());
  return { revision: Number(kv.mod_revision), kind, name: path.join('/'), object };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
