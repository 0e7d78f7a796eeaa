import { Agent, fetch } from 'undici';
import { poll } from './cluster.ts';

/** One change of one key of etcd; `value` null: it is gone. */
export interface KeyChange {
  revision: number;
  key: string;
  value: string | null;
}

/**
 * All that ever happens in an etcd, in its one order, from the first revision on. The API server
 * would not do for it: it has no order across kinds, and is down at times.
 */
export interface Recorder {
  /** The last revision that was given to `onChange`. */
  revision(): number;
  /** Resolves when all that has happened before the call has been given to `onChange`. */
  caughtUp(): Promise<void>;
  /** Writes a key of the test's own, and so a mark into the record. */
  put(key: string, value: string): Promise<void>;
  /** Forgets all that is recorded already. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

interface WatchAnswer {
  result?: {
    created?: boolean;
    canceled?: boolean;
    events?: { type?: 'DELETE'; kv: { key: string; mod_revision: string; value?: string } }[];
  };
}

const CATCH_UP_MS = 30_000;
/** From the least key on, and to the last: every write is seen, so that revisions have no gap. */
const ALL_KEYS = { key: 'AA==', range_end: 'AA==' };
const COMPACTED = /required revision has been compacted/;
/** Where an empty etcd begins. */
const REVISION_FIRST = 1;

/**
 * Follows `etcdUrl` from its beginning. Each change comes once and in order; a revision that is left
 * out, or an end of the watch, is told to `onGap` once and then thrown by `caughtUp`.
 */
export async function startRecorder(
  etcdUrl: string,
  onChange: (change: KeyChange) => void,
  onGap: (error: Error) => void,
): Promise<Recorder> {
  let revision = REVISION_FIRST;
  let failure: Error | null = null;
  const controller = new AbortController();
  // Quiet for as long as the cluster is.
  const agent = new Agent({ bodyTimeout: 0 });
  const post = async (path: string, body: unknown) => {
    const { signal } = controller;
    const init = { method: 'POST', body: JSON.stringify(body), signal, dispatcher: agent };
    const response = await fetch(`${etcdUrl}/v3/${path}`, init);
    if (!response.ok) throw new Error(`etcd ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const create = { create_request: { ...ALL_KEYS, start_revision: String(REVISION_FIRST) } };
  const watch = await post('watch', create);
  const read = async () => {
    for await (const line of linesOf(watch.body ?? [])) {
      for (const change of changesOf(line, revision)) {
        revision = change.revision;
        onChange(change);
      }
    }
    throw new Error('the record has ended');
  };
  const reading = read().catch((error: Error) => {
    failure = error;
    if (!controller.signal.aborted) onGap(error);
  });
  return {
    revision: () => revision,
    async caughtUp() {
      const answer = await post('kv/range', { ...ALL_KEYS, count_only: true });
      const { header } = (await answer.json()) as { header: { revision: string } };
      await poll(async () => failure !== null || revision >= Number(header.revision), CATCH_UP_MS);
      if (failure) throw failure;
    },
    async put(key, value) {
      const body = { key: base64(key), value: base64(value) };
      await (await post('kv/put', body)).text();
    },
    async compact() {
      // What is not recorded yet would be lost to the record, too.
      const asked = post('kv/compaction', { revision: String(revision), physical: true });
      await asked.catch((error: Error) => {
        // Nothing has happened since the last time, or the API server came first.
        if (!COMPACTED.test(error.message)) throw error;
      });
    },
    async stop() {
      controller.abort();
      await reading;
      await agent.destroy();
    },
  };
}

/** The changes of one line of a watch; throws where the first is not the one after `before`. */
export function changesOf(line: string, before: number): KeyChange[] {
  const { result } = JSON.parse(line) as WatchAnswer;
  if (result === undefined || result.canceled) throw new Error(`the watch has ended: ${line}`);
  let last = before;
  return (result.events ?? []).map(({ type, kv }) => {
    const revision = Number(kv.mod_revision);
    // One transaction may change several keys.
    if (revision !== last && revision !== last + 1) {
      throw new Error(`the record has a gap: revision ${revision} after ${last}`);
    }
    last = revision;
    return { revision, key: text(kv.key), value: type === 'DELETE' ? null : text(kv.value ?? '') };
  });
}

/** The lines of chunks of bytes, which may end anywhere. What has no end of line is no line yet. */
export async function* linesOf(
  body: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string> {
  // Decoded by whole lines only: a chunk may end inside a character.
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk as Uint8Array]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      yield rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
    }
  }
}

function base64(value: string): string {
  return Buffer.from(value).toString('base64');
}

function text(value: string): string {
  return Buffer.from(value, 'base64').toString();
}
