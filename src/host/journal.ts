import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** How many of a unit's last lines are read. */
const LINES = 30;

/**
 * The last lines that a unit wrote to the host's journal in `path`. Without journalctl, or a
 * journal to read, that is said in the text: it must not hide why the upgrade failed.
 */
export async function readUnitJournal(path: string, unit: string): Promise<string> {
  const args = [
    `--directory=${path}`,
    `--unit=${unit}`,
    `--lines=${LINES}`,
    '--output=json',
    '--all',
  ];
  const child = spawn('journalctl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const [rows, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve, reject) => child.on('error', reject).on('close', resolve)),
    ]);
    return rows === '' && errors !== '' ? `(journal: ${errors.trim()})` : parseJournal(rows);
  } catch (error) {
    return `(journal not read: ${(error as Error).message})`;
  }
}

interface Entry {
  MESSAGE?: string | number[] | null;
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
    if (entry === null) continue;
    const isPiece = entry._LINE_BREAK === 'line-max';
    result += message(entry) + (isPiece ? '' : '\n');
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
  const plain = typeof MESSAGE === 'string' ? MESSAGE : Buffer.from(MESSAGE).toString('utf8');
  const gap = /^Suppressed (\d+) messages/.exec(plain);
  if (gap) return `(${gap[1]} messages were suppressed here)`;
  return plain.replace(/[\r\n]+$/, '');
}
