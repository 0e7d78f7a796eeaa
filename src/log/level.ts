import type { Line } from '../../machines/lines.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';
export const LEVELS: Level[] = ['debug', 'info', 'warn', 'error'];

const LEVEL_OF: Partial<Record<Line['id'], Level>> = {
  'run.acquire.retrying': 'warn',
  'run.release.retrying': 'warn',
  'lock.wait.err': 'warn',
  'run.deadline': 'error',
  'run.upgrade.failed': 'error',
  'run.failed': 'error',
};

/** How much a line of a run matters. */
export function levelOf(line: Line): Level {
  return LEVEL_OF[line.id] ?? 'info';
}
