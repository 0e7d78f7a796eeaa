import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start, stateName } from '../../machines/fold.ts';
import { createLog, type LogOptions } from '../../src/log/log.ts';
import { replayJournal } from '../../src/trace/replay-journal.ts';
import { INPUT } from '../machines/input.ts';

const AT_MS = new Date(2026, 11, 2, 4, 5, 6).getTime();

function log(more: Partial<LogOptions>) {
  const written: string[] = [];
  const options: LogOptions = {
    format: 'auto',
    level: 'info',
    write: (line) => written.push(line),
    isTerminal: false,
    hasColour: false,
    nowMs: () => AT_MS,
    ...more,
  };
  return { written, log: createLog(options) };
}

test('classic: local time and the text, as the original wrote it', () => {
  const { written, log: it } = log({});
  it.say('error', 'No disk');
  it.line({ id: 'run.done' }, INPUT);
  assert.deepEqual(written, ['2026/12/02 04:05:06 No disk\n', '2026/12/02 04:05:06 Done\n']);
});

test('on a terminal: the time of day, trouble by a word and in colour', () => {
  const plain = log({ isTerminal: true });
  plain.log.say('error', 'No disk');
  assert.deepEqual(plain.written, ['04:05:06 error: No disk\n']);
  const coloured = log({ isTerminal: true, hasColour: true });
  coloured.log.say('error', 'No disk');
  assert.deepEqual(coloured.written, [
    '\u001b[2m04:05:06\u001b[0m \u001b[31merror: No disk\u001b[0m\n',
  ]);
});

test('less than the level is not written', () => {
  for (const format of ['classic', 'json'] as const) {
    const { written, log: it } = log({ format, level: 'warn' });
    it.say('info', 'nothing');
    it.say('warn', 'something');
    assert.equal(written.length, 1, format);
  }
});

test('the JSON log carries the records, and replays', () => {
  const { written, log: it } = log({ format: 'json' });
  const { snapshot, lines } = start(INPUT);
  const state = stateName(snapshot.value);
  const record = {
    seq: 1,
    atMs: AT_MS,
    run: 'r',
    state,
    input: INPUT,
    deadlineMs: null,
    version: '1',
  };
  it.say('info', 'before');
  it.record(record, lines, INPUT);
  it.line({ id: 'run.acquiring' }, INPUT);
  assert.equal(written.length, 2);
  const { time, level, msg, record: carried } = JSON.parse(written[1] ?? '');
  assert.deepEqual([time, level, carried], [new Date(AT_MS).toISOString(), 'info', record]);
  assert.match(msg, /^Acquiring kube lock\.\.\.\nkube\/lock kube-system/);
  const replayed = replayJournal(written.join(''));
  assert.deepEqual([replayed.divergence, replayed.runs], [null, 1]);
});
