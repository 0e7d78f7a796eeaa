import { existsSync, readFileSync } from 'node:fs';
import { createFeed } from '../inspector/feed.ts';
import type { Row, Source } from '../inspector/rows.ts';
import type { Inspector } from '../inspector/server.ts';
import { type JournalRecord, parseJournal } from '../journal/record.ts';
import type { Log } from '../log/log.ts';
import { journalPath } from '../service/state.ts';
import type { Watcher } from '../service/watcher.ts';
import type { Names } from '../trace/format.ts';
import { version } from '../version.ts';
import { openInspector } from './inspector.ts';

/** The newest rows that are kept of an agent that lives for months. */
const ROWS_MAX = 20_000;

/** A live agent in the inspector. Nothing of it ever fails the agent, or keeps it from ending. */
export interface Shown {
  /** The agent's log, with its lines around the runs shown as well. */
  log: Log;
  watcher: Watcher;
  close(): Promise<void>;
}

export interface ShowOptions {
  /** HOST:PORT. */
  address: string;
  statePath: string;
  log: Log;
  nowMs: () => number;
  pageFolder?: string;
}

export function showAgent(options: ShowOptions): Shown {
  const { address, statePath, log, nowMs, pageFolder } = options;
  const feed = createFeed(ROWS_MAX);
  let node = '';
  /** What was said before it was known what the journal holds, which is older. */
  let early: Row[] | null = [];
  let inspector: Inspector | null = null;
  let isBroken = false;
  const warn = (error: unknown) =>
    log.say('warn', `${(error as Error).message}; the agent goes on without the inspector`);
  /** What cannot be shown is no failure of the agent. */
  const show = (row: Row): void => {
    if (isBroken) return;
    try {
      feed.append(row);
    } catch (error) {
      isBroken = true;
      warn(error);
    }
  };
  const record = (one: JournalRecord): void =>
    show({ kind: 'record', source: node, node, record: one });
  return {
    log: {
      ...log,
      say(level, text) {
        log.say(level, text);
        const row: Row = { kind: 'note', node, atMs: nowMs(), text };
        if (early) early.push(row);
        else show(row);
      },
    },
    watcher: {
      async begin(names) {
        node = names.node;
        try {
          for (const one of journalOf(statePath)) record(one);
          const asked = { flag: '--inspect', address, ...(pageFolder ? { pageFolder } : {}) };
          inspector = await openInspector(asked, { feed, source: () => sourceOf(names) });
          log.say('info', `Inspector: ${inspector.url}`);
        } catch (error) {
          warn(error);
        }
        for (const row of early ?? []) show({ ...row, node });
        early = null;
      },
      onRecord: record,
    },
    close: async () => inspector?.close(),
  };
}

/** What the journal holds at the start; it was put right by then. */
function journalOf(statePath: string): JournalRecord[] {
  const path = journalPath(statePath);
  return existsSync(path) ? parseJournal(readFileSync(path)).records : [];
}

function sourceOf({ node, namespace, daemonSet }: Names): Omit<Source, 'token'> {
  return {
    mode: 'live',
    version: version(),
    title: daemonSet === '' ? node : `${node} (${namespace}/daemonsets/${daemonSet})`,
    sources: [{ name: node, node }],
    isPaced: false,
    isPaused: false,
  };
}
