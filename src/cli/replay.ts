import { parseArgs } from 'node:util';
import { isJson } from '../trace/history.ts';
import { type Replay, replayLog } from '../trace/replay.ts';
import { replayJournal } from '../trace/replay-journal.ts';
import { historyName as name, noHistory, readHistory } from './history-file.ts';
import type { Out } from './main.ts';
import { UsageError } from './usage.ts';

const FORMATS = { states, classic, json };

/** `replay FILE|-`. Returns 0 for a legal history, 1 where it diverges; throws UsageError. */
export function replay(args: string[], out: Out, err: Out): number {
  const { file, format } = flags(args);
  const text = readHistory(file);
  const result = isJson(text) ? replayJournal(text) : replayLog(text);
  if (result.runs === 0 && result.divergence === null) {
    throw noHistory(name(file));
  }
  out.write(FORMATS[format](result));
  for (const finding of result.findings) err.write(`finding: ${name(file)}: ${finding}\n`);
  if (result.divergence === null) return 0;
  const { lineNumber, state, message } = result.divergence;
  err.write(`${name(file)}:${lineNumber}: in ${state}: ${message}\n`);
  return 1;
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
