import type { Line } from '../../machines/lines.ts';
import { LOCK_ANNOTATION, type Verdict } from '../../machines/lock.ts';
import { DEADLINE_ERROR } from '../../machines/setup.ts';
import type { Names } from './format.ts';

/** One entry of a text log: a timed line with the untimed lines that belong to it. */
export interface Entry {
  /** 1-based. */
  lineNumber: number;
  /** `YYYY/MM/DD HH:MM:SS` as it stood there; '' before the first timed line. */
  time: string;
  /** The text after the time, untimed lines joined by newlines. */
  text: string;
  /** What the machine could have written, or null for a line of another part of the program. */
  line: Line | null;
  names: Partial<Names>;
}

const TIMED = /^(\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d) (.*)$/s;
const LOCK = /^kube\/lock ([^/ ]+)\/daemonsets\/([^:/ ]+): (.*)$/s;

/** Splits a classic log into entries. Nothing is lost: joining them gives the text back. */
export function parseLog(text: string): Entry[] {
  return [...parseEntries(text)].flat();
}

/** parseLog() in small steps, each with a line's entries. */
export function* parseEntries(text: string): Generator<Entry[], void> {
  const rows = text.split('\n');
  if (rows.at(-1) === '') rows.pop();
  let last: Raw | null = null;
  for (const [index, row] of rows.entries()) {
    const match = TIMED.exec(row);
    if (last && !match) {
      last.text += `\n${row}`;
      continue;
    }
    if (last) yield entriesOf(last);
    last = { lineNumber: index + 1, time: match?.[1] ?? '', text: match ? (match[2] ?? '') : row };
  }
  if (last) yield entriesOf(last);
}

function entriesOf(raw: Raw): Entry[] {
  return withoutTail(raw).map((entry) => ({ ...entry, ...parseText(entry.text) }));
}

type Raw = Pick<Entry, 'lineNumber' | 'time' | 'text'>;

/**
 * Untimed rows belong to the line above them: an output, an error. Where that line is whole
 * without them they are another program's.
 */
function withoutTail(entry: Raw): Raw[] {
  const [first = '', ...tail] = entry.text.split('\n');
  if (tail.length === 0) return [entry];
  const end = /^Update kube node .*?\} with error: <nil>\n/s.exec(entry.text)?.[0].length;
  const at = end ?? (isWhole(first) ? first.length + 1 : null);
  if (at === null) return [entry];
  const own = entry.text.slice(0, at - 1);
  const lineNumber = entry.lineNumber + own.split('\n').length;
  return [
    { ...entry, text: own },
    { lineNumber, time: '', text: entry.text.slice(at) },
  ];
}

/** What carries a text of others may have several rows; no other line has. */
const WITH_TEXT: Line['id'][] = [
  'lock.conflict',
  'lock.wait.err',
  'lock.watch.ended',
  'run.acquire.retrying',
  'run.release.retrying',
  'run.upgrade.failed',
  'node.condition',
  'run.reboot.unknown',
  'run.reboot.repeated',
  'drain.output',
  'drain.blocked',
  'drain.retrying',
  'reboot.retrying',
];

function isWhole(first: string): boolean {
  const { line } = parseText(first);
  return line !== null && !WITH_TEXT.includes(line.id);
}

export function entryText(entry: Entry): string {
  return entry.time === '' ? entry.text : `${entry.time} ${entry.text}`;
}

/** Reads one line's text back into the machine's line. The inverse of formatLine. */
export function parseText(text: string): { line: Line | null; names: Partial<Names> } {
  const lock = LOCK.exec(text);
  if (lock) {
    const names = { namespace: lock[1] ?? '', daemonSet: lock[2] ?? '' };
    return { line: parseLock(lock[3] ?? ''), names };
  }
  return parseRun(text);
}

const FIXED_LOCK: Record<string, Line> = {
  get: { id: 'lock.get' },
  wait: { id: 'lock.wait' },
  'wait ok': { id: 'lock.wait.ok' },
  acquire: { id: 'lock.acquire' },
  update: { id: 'lock.update' },
  release: { id: 'lock.release' },
};

function parseLock(text: string): Line | null {
  const fixed = FIXED_LOCK[text];
  if (fixed) return fixed;
  const [word = '', rest = ''] = splitAt(text, ' ');
  const value = rest.startsWith(`${LOCK_ANNOTATION}=`)
    ? rest.slice(LOCK_ANNOTATION.length + 1)
    : null;
  if (word === 'test' && value !== null) {
    const match = /^(.*): (free|acquired|locked)$/.exec(value);
    return match ? { id: 'lock.test', value: match[1] ?? '', verdict: match[2] as Verdict } : null;
  }
  if (word === 'set' && value !== null) return { id: 'lock.set', value };
  if (word === 'clear' && value !== null) return { id: 'lock.clear', value };
  return (
    after(text, 'watch ended: ', (message) => ({ id: 'lock.watch.ended', message })) ??
    after(text, 'wait err: ', (message) => ({ id: 'lock.wait.err', message })) ??
    after(text, 'retry modify conflict: ', (message) => ({ id: 'lock.conflict', message })) ??
    after(text, 'watch ', (options) => ({
      id: 'lock.watch',
      resourceVersion: /ResourceVersion:"([^"]*)"/.exec(options)?.[1] ?? '',
    }))
  );
}

const FIXED_RUN: Record<string, Line> = {
  'Acquiring kube lock...': { id: 'run.acquiring' },
  'Skip kube locking': { id: 'run.native' },
  'Adopting the upgrade that is still running...': { id: 'run.adopting' },
  'Skip kube node condition': { id: 'node.skipped' },
  [DEADLINE_ERROR]: { id: 'run.deadline' },
  'Stopped before the kube lock was acquired': { id: 'run.stopped' },
  'Stopping, the next start goes on with this run...': { id: 'run.left' },
  'Resuming the interrupted run...': { id: 'run.resuming' },
  'Running host upgrades...': { id: 'run.upgrading' },
  'No reboot required': { id: 'run.no-reboot' },
  'Reboot required, but skipping without --reboot': { id: 'run.reboot.skipped' },
  'Reboot required again after the reboot of this run, kept for the next one': {
    id: 'run.reboot.again',
  },
  'Reboot required, but the window is over: kept for the next one': { id: 'run.reboot.kept' },
  'Reboot kept from an earlier window comes first...': { id: 'run.reboot.pending' },
  'Reboot required, draining kube node...': { id: 'run.reboot.draining' },
  'Reboot required, rebooting the drained kube node...': { id: 'run.reboot.drained' },
  'Reboot required, rebooting without draining kube node...': { id: 'run.reboot.undrained' },
  'Draining kube node before upgrades...': { id: 'run.drain.first' },
  'Recovering what an earlier run has left...': { id: 'run.recovering' },
  'Rebooting...': { id: 'reboot.begin' },
  'Host is shutting down...': { id: 'reboot.shutdown' },
  'Leaving kube lock held for reboot, waiting for termination...': { id: 'reboot.leaving' },
  'Releasing kube lock...': { id: 'run.releasing' },
  Done: { id: 'run.done' },
};

const CONDITION =
  /^Update kube node (\S+) condition for status=\{(true|false) (.*)\} with error: (.*)$/s;

function parseRun(text: string): { line: Line | null; names: Partial<Names> } {
  const condition = CONDITION.exec(text);
  if (condition) {
    const [, node = '', required, detail = '', error = ''] = condition;
    const status = { rebootRequired: required === 'true', detail };
    return {
      line: { id: 'node.condition', status, error: error === '<nil>' ? null : error },
      names: { node },
    };
  }
  const using = /^Using --kube-namespace=(\S*) --kube-daemonset=(\S*) --kube-node=(\S*)$/.exec(
    text,
  );
  if (using) {
    const [, namespace = '', daemonSet = '', node = ''] = using;
    return { line: null, names: { namespace, daemonSet, node } };
  }
  const own = parseNode(text);
  if (own) return own;
  const line =
    FIXED_RUN[text] ??
    after(text, 'Acquiring kube lock failed, retrying: ', (message) => ({
      id: 'run.acquire.retrying',
      message,
    })) ??
    after(text, 'Releasing kube lock failed, retrying: ', (message) => ({
      id: 'run.release.retrying',
      message,
    })) ??
    after(text, 'Reboot check failed, not rebooting: ', (message) => ({
      id: 'run.reboot.unknown',
      message,
    })) ??
    after(text, 'Draining kube node failed, retrying: ', (message) => ({
      id: 'drain.retrying',
      message,
    })) ??
    after(text, 'Rebooting failed, retrying: ', (message) => ({
      id: 'reboot.retrying',
      message,
    })) ??
    after(text, 'drain: evicted pod ', (pod) => ({ id: 'drain.evicted', pod })) ??
    after(text, 'host: ', (output) => ({ id: 'host.output', text: output })) ??
    (/^Upgrade failed, releasing kube lock\.\.\. \(.*\)$/s.test(text)
      ? { id: 'run.upgrade.failed' as const, message: text.slice(text.indexOf('(') + 1, -1) }
      : null);
  return { line, names: {} };
}

/** Lines that name the node: of a drain and of a reboot. */
const NODE_LINES: [RegExp, (groups: Record<string, string>) => Line][] = [
  [
    /^Draining kube node (?<node>\S+) \(with annotation \S+\)\.\.\.$/,
    () => ({ id: 'drain.begin' }),
  ],
  [/^kubectl drain (?:--\S+ )+(?<node>\S+)\.\.\.$/, () => ({ id: 'drain.command' })],
  [
    /^kubectl drain (?:--\S+ )+(?<node>[^\s:]+): (?<text>.*)$/s,
    ({ text = '' }) => ({ id: 'drain.output', text }),
  ],
  [
    /^Marking kube node (?<node>\S+) for reboot \(with annotation \S+?=(?<at>.*)\)\.\.\.$/,
    ({ at = '' }) => ({ id: 'reboot.marked', at }),
  ],
  [
    /^Kube node (?<node>\S+) was rebooted \(reboot=(?<at>.*), boot=(?<boot>\d{4}-\d\d-\d\dT[\d:.]+Z)\)\.\.\.$/,
    ({ at = '', boot = '' }) => ({ id: 'reboot.done', at, bootMs: Date.parse(boot) }),
  ],
  [
    /^Uncordoned drained kube node (?<node>\S+) \(with annotation \S+\)$/,
    () => ({ id: 'node.uncordoned' }),
  ],
];

const POD_GONE = /^drain: pod (\S+) is gone$/;
const POD_BLOCKED =
  /^drain: pod (\S+) is blocked(?: by PodDisruptionBudget [^/\s]+\/(\S+))?, trying again in (\d+) ms: (.*)$/s;
const REPEATED =
  /^Reboot still required after a proven reboot, with nothing installed since: not rebooting again \((.*)\)$/s;

function parseNode(text: string): { line: Line; names: Partial<Names> } | null {
  for (const [pattern, make] of NODE_LINES) {
    const groups = pattern.exec(text)?.groups;
    if (groups) return { line: make(groups), names: { node: groups.node ?? '' } };
  }
  const gone = POD_GONE.exec(text);
  if (gone) return { line: { id: 'drain.gone', pod: gone[1] ?? '' }, names: {} };
  const blocked = POD_BLOCKED.exec(text);
  if (blocked) {
    const [, pod = '', budget = null, retryInMs, message = ''] = blocked;
    return {
      line: { id: 'drain.blocked', pod, budget, message, retryInMs: Number(retryInMs) },
      names: {},
    };
  }
  const repeated = REPEATED.exec(text);
  return repeated && { line: { id: 'run.reboot.repeated', cause: repeated[1] ?? '' }, names: {} };
}

function after(text: string, prefix: string, make: (rest: string) => Line): Line | null {
  return text.startsWith(prefix) ? make(text.slice(prefix.length)) : null;
}

function splitAt(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
