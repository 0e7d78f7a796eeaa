import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseDuration } from '../../src/schedule/duration.ts';
import { formatScheduleLine, type ScheduleLine } from '../../src/schedule/lines.ts';
import { replayLog } from '../../src/trace/replay.ts';

const AT_MS = Date.parse('2019-02-21T09:41:10.123Z');

const LINES: [ScheduleLine, string][] = [
  [{ id: 'schedule.none' }, 'No --schedule given, will run once'],
  [
    { id: 'schedule.using', schedule: '0 0 1 1 *', nextMs: 1_798_761_600_000, inMs: 3_600_500 },
    'Using --schedule="0 0 1 1 *", first upgrade at: 2027-01-01 02:00:00 +0200 EET (in 1h0m0.5s)',
  ],
  [{ id: 'schedule.window', windowMs: 3_600_000 }, 'Using --schedule-window=1h0m0s'],
  [{ id: 'schedule.window', windowMs: 0 }, 'Using --schedule-window=0s'],
  [
    { id: 'schedule.started', deadlineMs: AT_MS },
    'Schedule run started, deadline at 2019-02-21 11:41:10.123 +0200 EET',
  ],
  [{ id: 'schedule.started', deadlineMs: null }, 'Schedule run started, no deadline'],
  [
    { id: 'schedule.completed', tookMs: 9_500, nextMs: AT_MS, inMs: 60_000 },
    'Schedule run completed in 9.5s, next upgrade at: 2019-02-21 11:41:10.123 +0200 EET (in 1m0s)',
  ],
  [
    { id: 'schedule.failed', tookMs: 9_500, nextMs: AT_MS, inMs: 60_000 },
    'Schedule run failed after 9.5s, next upgrade at: 2019-02-21 11:41:10.123 +0200 EET (in 1m0s)',
  ],
  [{ id: 'schedule.busy' }, 'Scheduler is busy, skipping scheduled run'],
  [
    { id: 'schedule.missed', tickMs: AT_MS, lateMs: 7_200_000 },
    'Scheduled run of 2019-02-21 11:41:10.123 +0200 EET was missed, noticed 2h0m0s late',
  ],
];

for (const [line, text] of LINES) {
  test(`the line ${line.id} in classic words: ${text}`, () => {
    assert.equal(formatScheduleLine(line, 'Europe/Helsinki'), text);
  });
}

/** A recorded time as ms. What is below a ms is cut. */
const ms = (time: string) => Date.parse(`${time.slice(0, 19).replace(' ', 'T')}${time.slice(19)}Z`);

/** Reads a recorded line; null: not one of the scheduler's. */
function read(text: string): ScheduleLine | null {
  const using = /^Using --schedule="(.*)", first upgrade at: (.*) \+0000 UTC \(in (.*)\)$/.exec(
    text,
  );
  if (using) {
    const [, schedule = '', at = '', duration = ''] = using;
    return { id: 'schedule.using', schedule, nextMs: ms(at), inMs: parseDuration(duration) };
  }
  const window = /^Using --schedule-window=(.*)$/.exec(text);
  if (window) return { id: 'schedule.window', windowMs: parseDuration(window[1] ?? '') };
  const started = /^Schedule run started, deadline at (.*) \+0000 UTC$/.exec(text);
  if (started) return { id: 'schedule.started', deadlineMs: ms(started[1] ?? '') };
  if (text === 'No --schedule given, will run once') return { id: 'schedule.none' };
  if (text === 'Scheduler is busy, skipping scheduled run') return { id: 'schedule.busy' };
  assert.doesNotMatch(text, /^(Schedule|No --schedule|Using --schedule)/);
  return null;
}

test('the recorded lines come back but for the digits below the ms and the m=+ of a time', () => {
  const traces = new URL('../traces/', import.meta.url).pathname;
  const seen = new Map<string, number>();
  for (const path of globSync('**/*.txt', { cwd: traces })) {
    for (const row of readFileSync(`${traces}${path}`, 'utf8').split('\n')) {
      const recorded = row
        .slice('2026/12/01 04:23:45 '.length)
        .replace(/(\d\d:\d\d:\d\d\.\d{1,3})\d*/, '$1')
        .replace(/(\.\d*?)0* \+0000/, (_, digits) => `${digits === '.' ? '' : digits} +0000`)
        .replace(/ m=\+[\d.]+/, '');
      const line = read(recorded);
      if (!line) continue;
      assert.equal(formatScheduleLine(line, 'UTC'), recorded, path);
      seen.set(line.id, (seen.get(line.id) ?? 0) + 1);
    }
  }
  assert.deepEqual([...seen.keys()].sort(), [
    'schedule.busy',
    'schedule.none',
    'schedule.started',
    'schedule.using',
    'schedule.window',
  ]);
});

test('a replay takes the deadline from the line', () => {
  const deadline = formatScheduleLine(
    { id: 'schedule.started', deadlineMs: Date.parse('2018-05-31T11:41:10.345Z') },
    'UTC',
  );
  const path = new URL('../traces/api-down.txt', import.meta.url);
  const rows = readFileSync(path, 'utf8').split('\n');
  rows[0] = `2018/05/31 11:41:00 ${deadline}`;
  const { divergence, findings } = replayLog(rows.join('\n'));
  assert.equal(divergence, null);
  assert.deepEqual(findings, [
    'line 11: the run ended after its deadline 2018-05-31 11:41:10, about 5 s late',
  ]);
});
