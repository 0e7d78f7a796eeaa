import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Replay, replayLog } from '../trace/replay.ts';
import { replayJournal } from '../trace/replay-journal.ts';
import type { Out } from './main.ts';
import { UsageError } from './usage.ts';

const FORMATS = { states, classic, json };

/** `replay FILE|-`. Returns 0 for a legal history, 1 where it diverges; throws UsageError. */
export function replay(args: string[], out: Out, err: Out): number {
  const { file, format } = flags(args);
  const text = read(file);
  const result = isJson(text) ? replayJournal(text) : replayLog(text);
  if (result.runs === 0 && result.divergence === null) {
    throw new UsageError(`${name(file)}:1: not a history: no line starts a run`);
  }
  out.write(FORMATS[format](result));
  for (const finding of result.findings) err.write(`finding: ${name(file)}: ${finding}\n`);
  if (result.divergence === null) return 0;
  const { lineNumber, state, message } = result.divergence;
  err.write(`${name(file)}:${lineNumber}: in ${state}: ${message}\n`);
  return 1;
}

/** A classic log never carries a record; a JSON log may have other programs' lines around it. */
function isJson(text: string): boolean {
  return /^[^\n]*\{"(seq"|level"|time"|node"|record"|msg")/m.test(text.slice(0, 200_000));
}

function flags(args: string[]): { file: string; format: keyof typeof FORMATS } {
  const parsed = parse(args);
  const format = parsed.values.format ?? 'states';
  if (!Object.hasOwn(FORMATS, format)) {
    throw new UsageError(`replay --format=${format}: give states, classic or json`);
  }
  const [file, ...more] = parsed.positionals;
  if (file === undefined)
    throw new UsageError('replay: name the log to replay, or - for standard input');
  if (more.length > 0)
    throw new UsageError(`replay: one file at a time, not also ${more.join(' ')}`);
  return { file, format: format as keyof typeof FORMATS };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: { format: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`replay: ${(error as Error).message.split('. ')[0]}; see --help`);
  }
}

function read(file: string): string {
  try {
    return plain(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_STRING_TOO_LONG') {
      throw new UsageError(`${name(file)}: is too large; give an excerpt of at most 500 MB`);
    }
    throw new UsageError(`${name(file)}: cannot be read (${code}); give a readable log file`);
  }
}

/** Without what other systems' editors add: a byte order mark, and a CR at the end of every line. */
function plain(text: string): string {
  const hasOnlyCrlf = text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
  return (hasOnlyCrlf ? text.replaceAll('\r\n', '\n') : text).replace(/^\ufeff/, '');
}

function name(file: string): string {
  return file === '-' ? '<stdin>' : file;
}

function classic(result: Replay): string {
  return result.records.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('');
}

function json(result: Replay): string {
  return result.records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function states(result: Replay): string {
  return result.records
    .map(({ time, from, to, event, lines }) => {
      const moved = from === to ? to : `${from} -> ${to}`;
      const head = `${time}  ${moved}  ${event?.type ?? '-'}\n`;
      return head + lines.map((line) => `    ${line.slice(time.length).trimStart()}\n`).join('');
    })
    .join('');
}
