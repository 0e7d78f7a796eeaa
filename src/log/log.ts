import pino from 'pino';
import type { Line } from '../../machines/lines.ts';
import type { JournalRecord, Resumption } from '../journal/record.ts';
import { formatLine, type Names } from '../trace/format.ts';
import { LEVELS, type Level, levelOf } from './level.ts';
import { classicText, prettyText } from './text.ts';

export type LogFormat = 'auto' | 'pretty' | 'json' | 'classic';
export const LOG_FORMATS: LogFormat[] = ['auto', 'pretty', 'json', 'classic'];

export interface LogOptions {
  format: LogFormat;
  level: Level;
  /** Where the lines go, one whole line each call. */
  write: (line: string) => void;
  isTerminal: boolean;
  hasColour: boolean;
  nowMs: () => number;
}

/** What the program says. The text formats show lines, the JSON format also what led to them. */
export interface Log {
  /** A line of the program around the runs. */
  say(level: Level, text: string): void;
  /** A line of a run, as it is written. */
  line(line: Line, names: Names): void;
  /** A run of an earlier process goes on: its log begins here. */
  resumption(resumption: Resumption): void;
  /** A record of a run with the lines that it writes, ahead of them. */
  record(record: JournalRecord, lines: Line[], names: Names): void;
}

export function createLog(options: LogOptions): Log {
  return options.format === 'json' ? jsonLog(options) : textLog(options);
}

/**
 * One JSON object for each record: the journal's own, so that the log alone can be replayed, with
 * the lines as its message.
 */
function jsonLog({ level, write, nowMs }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(nowMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return {
    say: (at, text) => logger[at](text),
    line: () => {},
    resumption: (resumption) => logger.info({ resumption }, `Run ${resumption.run} goes on`),
    record(record, lines, names) {
      const text = lines.map((line) => formatLine(line, names)).join('\n');
      logger[worst(lines)]({ record }, text);
    },
  };
}

function worst(lines: Line[]): Level {
  const levels = lines.map(levelOf);
  return (['error', 'warn'] as const).find((level) => levels.includes(level)) ?? 'info';
}

function textLog({ format, level, write, isTerminal, hasColour, nowMs }: LogOptions): Log {
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const say: Log['say'] = (at, text) => {
    if (LEVELS.indexOf(at) < LEVELS.indexOf(level)) return;
    const atMs = nowMs();
    write(`${isPretty ? prettyText(atMs, at, text, hasColour) : classicText(atMs, text)}\n`);
  };
  return {
    say,
    line: (line, names) => say(levelOf(line), formatLine(line, names)),
    resumption: () => {},
    record: () => {},
  };
}
