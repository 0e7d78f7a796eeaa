import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { plainLine } from './text.ts';

/** One start of a unit. */
export interface UnitStart {
  unit: string;
  invocationId: string;
  /** By the host's clock, µs since the epoch. */
  startedUs: bigint;
}

/** How many of a unit's last lines are read. */
const LINES = 30;

/** A unit's process may write before systemd notes that the unit was started. */
const SLACK_US = 1_000_000n;
/** A journal that lags behind what the unit wrote is asked so often, with a pause. */
const TRIES = 5;
const PAUSE_MS = 100;

/**
 * The last lines that one start of a unit wrote to the host's journal, and systemd's own about it.
 * Which of the folders the host keeps it in is the host's choice. Where there is none to read, or
 * no journalctl, that is said in the text: it must not hide why the upgrade failed.
 */
export async function readUnitJournal(folders: string[], start: UnitStart): Promise<string> {
  const errors = new Set<string>();
  let found: Entry[] = [];
  for (let left = TRIES; left > 0; left -= 1) {
    for (const folder of folders) {
      const { rows, error } = await journalctl(folder, start);
      const entries = parseEntries(rows)
        .filter((entry) => isOf(start, entry))
        .reverse();
      if (entries.length > 0) found = entries;
      if (error !== '') errors.add(error);
    }
    // systemd's own words on it may be there first.
    const hasOwn = found.some((entry) => entry._SYSTEMD_UNIT === start.unit);
    if (hasOwn || errors.size === folders.length) break;
    await pause(PAUSE_MS);
  }
  if (found.length > 0) return messages(found);
  return errors.size === 0 ? '' : `(journal not read: ${[...errors].join('; ')})`;
}

async function journalctl(
  folder: string,
  { unit, invocationId, startedUs }: UnitStart,
): Promise<{ rows: string; error: string }> {
  // What it wrote itself, what systemd says of it, and what journald says of it.
  const matches = [
    `_SYSTEMD_UNIT=${unit}`,
    '+',
    `INVOCATION_ID=${invocationId}`,
    '+',
    `OBJECT_SYSTEMD_UNIT=${unit}`,
  ];
  const sinceUs = startedUs - SLACK_US;
  const since = `--since=@${sinceUs / 1_000_000n}.${`${sinceUs % 1_000_000n}`.padStart(6, '0')}`;
  // Backwards: with --since it would else count its lines from there on.
  const last = ['--reverse', `--lines=${LINES}`];
  const options = [`--directory=${folder}`, since, ...last, '--output=json', '--all'];
  const child = spawn('journalctl', [...options, ...matches], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const [rows, error] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve, reject) => child.on('error', reject).on('close', resolve)),
    ]);
    return { rows, error: error.trim() };
  } catch (error) {
    return { rows: '', error: (error as Error).message };
  }
}

interface Entry {
  MESSAGE?: string | number[] | string[] | null;
  _LINE_BREAK?: string;
  _SYSTEMD_UNIT?: string;
  /** Which start wrote it: often lacking where the process soon ended. */
  _SYSTEMD_INVOCATION_ID?: string;
}

/** Not of the start before, which may have been within the slack. */
function isOf({ unit, invocationId }: UnitStart, entry: Entry): boolean {
  const { _SYSTEMD_UNIT: by, _SYSTEMD_INVOCATION_ID: start = invocationId } = entry;
  return by !== unit || start === invocationId;
}

/**
 * The messages of journalctl's JSON export, a line each. A message with control bytes comes as an
 * array of numbers, one too long for the export as null, and a long line in pieces.
 */
export function parseJournal(rows: string): string {
  return messages(parseEntries(rows));
}

function parseEntries(rows: string): Entry[] {
  return rows.split('\n').flatMap((row) => (row.trim() === '' ? [] : [parseEntry(row)]));
}

/** A last row may be cut. */
function parseEntry(row: string): Entry {
  try {
    return JSON.parse(row) as Entry;
  } catch {
    return { MESSAGE: '(a row of the journal cut short)' };
  }
}

function messages(entries: Entry[]): string {
  const lines = entries.map((entry) => {
    const isPiece = entry._LINE_BREAK === 'line-max';
    return message(entry) + (isPiece ? '' : '\n');
  });
  return lines.join('');
}

function message({ MESSAGE }: Entry): string {
  if (MESSAGE === null || MESSAGE === undefined) return '(a message too long to be read)';
  const plain = plainLine(decoded(MESSAGE));
  const gap = /^Suppressed (\d+) messages/.exec(plain);
  if (gap) return `(${gap[1]} messages were suppressed here)`;
  return plain;
}

/** Bytes, or the texts of a field that an entry has more than once. */
function decoded(value: string | number[] | string[]): string {
  if (typeof value === 'string') return value;
  const bytes = value.filter((part) => typeof part === 'number');
  return bytes.length === value.length ? Buffer.from(bytes).toString('utf8') : value.join(' ');
}
