import { type RecordRow, recordsOf } from './rows.ts';

const DAY_MS = 86_400_000;

/** Where a stream of rows stands, and whose they are. */
export interface Place {
  node: string;
  /** `namespace/name` of the DaemonSet; '': none. Not given: as recorded. */
  lock?: string;
}

/** The records of a history again, from another moment on, as another run of a node. */
export function runAt(history: string, fromMs: number, run: string, place: Place): RecordRow[] {
  const records = recordsOf(history);
  const shiftMs = fromMs - (records[0]?.atMs ?? 0);
  const { node, lock } = place;
  return records.map((record) => {
    const moved = { ...record, atMs: record.atMs + shiftMs, run };
    const deadlineMs =
      'deadlineMs' in record && record.deadlineMs !== null
        ? { deadlineMs: record.deadlineMs + shiftMs }
        : {};
    const input = 'input' in record ? { input: { ...record.input, node, ...inputOf(lock) } } : {};
    return {
      kind: 'record',
      source: `${node}.ndjson`,
      node,
      record: { ...moved, ...deadlineMs, ...input } as RecordRow['record'],
    };
  });
}

function inputOf(lock: string | undefined): { namespace?: string; daemonSet?: string } {
  if (lock === undefined) return {};
  const [namespace = '', daemonSet = ''] = lock.split('/');
  return { namespace, daemonSet };
}

/** A run each night, at 02:00. */
export function nightlyRows(nights: number): RecordRow[] {
  const begin = Date.UTC(2026, 10, 3, 2);
  return Array.from({ length: nights }, (_, night) =>
    runAt('rebooted.ndjson', begin + night * DAY_MS, `night-${night}`, { node: 'node-1' }),
  ).flatMap((rows, night) => renumbered(rows, night * rows.length));
}

function renumbered(rows: RecordRow[], from: number): RecordRow[] {
  return rows.map((row, index) => ({ ...row, record: { ...row.record, seq: from + index + 1 } }));
}

/**
 * `nodes` that begin within a minute or so and take the lock one after the other, of 44 events each, in
 * the order of time.
 */
export function rolloutRows(nodes: number): RecordRow[] {
  const begin = Date.UTC(2026, 10, 3, 2);
  return Array.from({ length: nodes }, (_, index) => {
    const node = nodeName(index);
    const rows = runAt('rebooted.ndjson', begin + index * 60, `run-${index}`, { node });
    return renumbered(waitingFor(rows, index), 0);
  })
    .flat()
    .sort((one, other) => one.record.atMs - other.record.atMs);
}

export function nodeName(index: number): string {
  return `node-${String(index + 1).padStart(4, '0')}`;
}

const TURN_MS = 20_000;

/** Each has its turn behind those before; the lock is what they leave of it. */
function waitingFor(rows: RecordRow[], index: number): RecordRow[] {
  const held = rows.findLastIndex(({ record }) => record.state === 'acquiring.watch.held');
  return rows.map((row, at) => {
    const isWaiting = at <= held;
    const { record } = row;
    const atMs = record.atMs + (isWaiting ? 0 : index * TURN_MS);
    if (!('event' in record) || !('lock' in record.event)) {
      return { ...row, record: { ...record, atMs } };
    }
    const { value } = record.event.lock;
    const own = value === '' ? '' : row.node;
    const lock = isWaiting
      ? { value: 'node-0000', resourceVersion: '1' }
      : { value: own, resourceVersion: `${(index + 1) * 100 + at}` };
    return { ...row, record: { ...record, atMs, event: { ...record.event, lock } } };
  });
}
