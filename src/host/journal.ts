import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { plainLine } from './text.ts';

/** How many of a unit's last lines are read. */
const LINES = 30;

/** A journal that lags behind is asked so often, with a pause. */
const TRIES = 5;
const PAUSE_MS = 100;

/**
 * The last lines that one start of a unit wrote to the host's journal, and systemd's own about it.
 * Which of the folders the host keeps it in is the host's choice. Where there is none to read, or
 * no journalctl, that is said in the text: it must not hide why the upgrade failed.
 */
export async function readUnitJournal(folders: string[], invocationId: string): Promise<string> {
  const errors = new Set<string>();
  for (let left = TRIES; left > 0; left -= 1) {
    for (const folder of folders) {
      const { rows, error } = await journalctl(folder, invocationId);
      if (rows !== '') return parseJournal(rows);
      if (error !== '') errors.add(error);
    }
    if (errors.size === folders.length) break;
    await pause(PAUSE_MS);
  }
  return errors.size === 0 ? '' : `(journal not read: ${[...errors].join('; ')})`;
}

async function journalctl(
  folder: string,
  invocationId: string,
): Promise<{ rows: string; error: string }> {
  // What it wrote itself, what systemd says of it, and what journald says of it.
  const fields = ['_SYSTEMD_INVOCATION_ID', 'INVOCATION_ID', 'OBJECT_SYSTEMD_INVOCATION_ID'];
  const matches = fields.flatMap((field) => ['+', `${field}=${invocationId}`]).slice(1);
  const options = [`--directory=${folder}`, `--lines=${LINES}`, '--output=json', '--all'];
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
}

/**
 * The messages of journalctl's JSON export, a line each. A message with control bytes comes as an
 * array of numbers, one too long for the export as null, and a long line in pieces.
 */
export function parseJournal(rows: string): string {
  let result = '';
  for (const row of rows.split('\n')) {
    if (row.trim() === '') continue;
    const entry = parseEntry(row);
    const isPiece = entry?._LINE_BREAK === 'line-max';
    result +=
      (entry === null ? '(a row of the journal cut short)' : message(entry)) +
      (isPiece ? '' : '\n');
  }
  return result;
}

/** A last row may be cut. */
function parseEntry(row: string): Entry | null {
  try {
    return JSON.parse(row) as Entry;
  } catch {
    return null;
  }
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
