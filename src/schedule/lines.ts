import { formatDuration } from './duration.ts';
import { formatGoTime } from './go-time.ts';

/** A line of the scheduler as data. Times are ms since the epoch. */
export type ScheduleLine =
  | { id: 'schedule.none' }
  | { id: 'schedule.using'; schedule: string; nextMs: number; inMs: number }
  | { id: 'schedule.window'; windowMs: number }
  | { id: 'schedule.started'; deadlineMs: number | null }
  | { id: 'schedule.completed'; tookMs: number; nextMs: number; inMs: number }
  | { id: 'schedule.failed'; tookMs: number; nextMs: number; inMs: number }
  | { id: 'schedule.busy' }
  | { id: 'schedule.missed'; tickMs: number; lateMs: number };

/** The text of a line in the original's words, without time; `zone` is the one that times are shown in. */
export function formatScheduleLine(line: ScheduleLine, zone: string): string {
  switch (line.id) {
    case 'schedule.none':
      return 'No --schedule given, will run once';
    case 'schedule.using':
      return `Using --schedule=${JSON.stringify(line.schedule)}, first upgrade at: ${next(line, zone)}`;
    case 'schedule.window':
      return `Using --schedule-window=${formatDuration(line.windowMs)}`;
    case 'schedule.started':
      return line.deadlineMs === null
        ? 'Schedule run started, no deadline'
        : `Schedule run started, deadline at ${formatGoTime(line.deadlineMs, zone)}`;
    case 'schedule.completed':
      return `Schedule run completed in ${formatDuration(line.tookMs)}, next upgrade at: ${next(line, zone)}`;
    // The original ends with the first failed run.
    case 'schedule.failed':
      return `Schedule run failed after ${formatDuration(line.tookMs)}, next upgrade at: ${next(line, zone)}`;
    case 'schedule.busy':
      return 'Scheduler is busy, skipping scheduled run';
    // The original knows no such case.
    case 'schedule.missed':
      return `Scheduled run of ${formatGoTime(line.tickMs, zone)} was missed, noticed ${formatDuration(line.lateMs)} late`;
  }
}

function next({ nextMs, inMs }: { nextMs: number; inMs: number }, zone: string): string {
  return `${formatGoTime(nextMs, zone)} (in ${formatDuration(inMs)})`;
}
