import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import { ticks } from './ticks.ts';

const days = (text: string, after: string, count: number) =>
  ticks(text, 'UTC', after, count).map((tick) => tick.slice(5, 10));
const week = (field: string) => days(`0 0 * * ${field}`, '2026-01-04T12:00Z', 7);

test('trap 44: Sunday ends a range, as a name and as 7', () => {
  for (const field of ['SAT-SUN', 'sat-sun', '6-7']) {
    assert.deepEqual(
      days(`0 0 * * ${field}`, '2026-01-02T12:00Z', 4),
      ['01-03', '01-04', '01-10', '01-11'],
      field,
    );
  }
  assert.deepEqual(days('0 0 * * 5-7', '2026-01-02T12:00Z', 4), [
    '01-03',
    '01-04',
    '01-09',
    '01-10',
  ]);
  // All but Monday, the 5th.
  assert.deepEqual(week('2-7'), ['01-06', '01-07', '01-08', '01-09', '01-10', '01-11', '01-13']);
});

test('trap 44: 0,7 and sun and Sun are one Sunday', () => {
  for (const field of ['0,7', '0', '7', 'sun', 'Sun', 'SUN', '7-7']) {
    assert.deepEqual(week(field).slice(0, 3), ['01-11', '01-18', '01-25'], field);
  }
});

test('trap 44: 5/15 keeps its step', () => {
  assert.deepEqual(
    ticks('5/15 * * * *', 'UTC', '2026-01-01T00:00Z', 5).map((tick) => tick.slice(11, 16)),
    ['00:05', '00:20', '00:35', '00:50', '01:05'],
  );
  assert.deepEqual(days('0 0 10/10 * *', '2026-01-01T00:00Z', 4), [
    '01-10',
    '01-20',
    '01-30',
    '02-10',
  ]);
  assert.deepEqual(week('1/2').slice(0, 4), ['01-05', '01-07', '01-09', '01-12']);
  assert.deepEqual(week('mon/2'), week('1/2'));
});

test('trap 44: two restricted day fields are OR, and AND where one begins with a star', () => {
  assert.deepEqual(days('0 0 1 * 1', '2026-01-20T00:00Z', 4), ['01-26', '02-01', '02-02', '02-09']);
  // AND, as the original has it.
  assert.deepEqual(days('0 0 */2 * 3', '2024-08-16T00:00Z', 3), ['08-21', '09-11', '09-25']);
  assert.deepEqual(days('0 0 1 * */2', '2026-01-01T00:00Z', 4), [
    '02-01',
    '03-01',
    '08-01',
    '09-01',
  ]);
  assert.deepEqual(days('0 0 ?/2 * 3', '2024-08-16T00:00Z', 3), ['08-21', '09-11', '09-25']);
  // OR: the same days written as a range.
  assert.deepEqual(days('0 0 1-31/2 * 3', '2024-08-16T00:00Z', 3), ['08-17', '08-19', '08-21']);
  for (const field of ['*', '?']) {
    assert.deepEqual(days(`0 0 ${field} * 1`, '2026-01-01T00:00Z', 2), ['01-05', '01-12']);
    assert.deepEqual(days(`0 0 13 * ${field}`, '2026-01-01T00:00Z', 2), ['01-13', '02-13']);
  }
});

test('trap 45: L and # are right', () => {
  assert.deepEqual(days('0 2 * * 5L', '2026-01-01T00:00Z', 3), ['01-30', '02-27', '03-27']);
  assert.deepEqual(days('0 2 * * friL', '2026-01-01T00:00Z', 3), ['01-30', '02-27', '03-27']);
  assert.deepEqual(days('0 2 * * 5#2', '2026-01-01T00:00Z', 3), ['01-09', '02-13', '03-13']);
  assert.deepEqual(days('0 2 * * 5#5', '2026-01-01T00:00Z', 2), ['01-30', '05-29']);
  assert.deepEqual(days('0 2 L * *', '2026-01-01T00:00Z', 3), ['01-31', '02-28', '03-31']);
  assert.deepEqual(days('0 2 1,L * *', '2026-01-01T12:00Z', 3), ['01-31', '02-01', '02-28']);
  assert.deepEqual(days('0 2 ? * 1', '2026-01-01T00:00Z', 2), ['01-05', '01-12']);
});

const REFUSED: [string, string, string][] = [
  ['0 2 * * L', 'day of week', 'L'],
  ['0 2 * * 5#6', 'day of week', '5#6'],
  ['0 2 * * 5#0', 'day of week', '5#0'],
  ['0 2 * * L,1', 'day of week', 'L,1'],
  ['0 2 * * 1-5#2', 'day of week', '1-5#2'],
  ['0 2 * * 5L-2', 'day of week', '5L-2'],
  ['0 2 * * 8', 'day of week', '8'],
  ['0 2 * * +1', 'day of week', '+1'],
  ['0 2 * * 1*', 'day of week', '1*'],
  ['0 2 * * MONDAY', 'day of week', 'MONDAY'],
  ['0 2 * * sun-sun', 'day of week', 'sun-sun'],
  ['0 2 * * fri-mon', 'day of week', 'fri-mon'],
  ['0 2 0 * *', 'day of month', '0'],
  ['0 2 32 * *', 'day of month', '32'],
  ['0 2 5L * *', 'day of month', '5L'],
  ['0 2 15W * *', 'day of month', '15W'],
  ['0 2 L-3 * *', 'day of month', 'L-3'],
  ['0 0 * 0 *', 'month', '0'],
  ['0 0 * 13 *', 'month', '13'],
  ['0 0 * JANUARY *', 'month', 'JANUARY'],
  ['0 0 * nov-feb *', 'month', 'nov-feb'],
  ['0 24 * * *', 'hour', '24'],
  ['0 22-2 * * *', 'hour', '22-2'],
  ['60 * * * *', 'minute', '60'],
  ['*/0 * * * *', 'minute', '*/0'],
  ['*/61 * * * *', 'minute', '*/61'],
  ['/15 * * * *', 'minute', '/15'],
  ['5/0 * * * *', 'minute', '5/0'],
  ['50-10 * * * *', 'minute', '50-10'],
  ['1,,2 * * * *', 'minute', '1,,2'],
  ['-1 * * * *', 'minute', '-1'],
  ['1.5 * * * *', 'minute', '1.5'],
  ['L * * * *', 'minute', 'L'],
  ['H 2 * * *', 'minute', 'H'],
];

for (const [text, name, value] of REFUSED) {
  test(`trap 45: ${text} is refused when it is read, with its ${name} named`, () => {
    assert.throws(
      () => parseSchedule(text, 'UTC'),
      ({ message }: Error) => {
        assert.ok(
          message.startsWith(`the schedule "${text}" has a wrong ${name} "${value}"; it takes `),
          message,
        );
        assert.doesNotMatch(message, /\n/);
        return true;
      },
    );
  });
}

test('what a field takes stands in the error', () => {
  assert.throws(() => parseSchedule('0 2 32 * *', 'UTC'), {
    message:
      'the schedule "0 2 32 * *" has a wrong day of month "32"; it takes 1-31, L (the last day), *, lists (1,5), rising ranges (1-5), steps (*/2)',
  });
});

test('a schedule of another shape is refused with what is known', () => {
  const refused: [string, RegExp][] = [
    [
      '',
      /^the schedule "" does not have five fields: minute, hour, day of month, month, day of week$/,
    ],
    ['* * * *', /does not have five fields/],
    ['* * * * * *', /does not have five fields/],
    ['0 2 * * * root', /does not have five fields/],
    ['TZ=UTC 0 2 * * *', /does not have five fields: .*; the time zone is set with TZ, not here$/],
    ['CRON_TZ=UTC 0 2 * * *', /the time zone is set with TZ, not here$/],
    ['@reboot', /^the schedule "@reboot" is not known; there are @hourly, .*, @every 1h30m$/],
    ['@every', /^the schedule "@every" is not known/],
    ['@every1h', /is not known/],
  ];
  for (const [text, message] of refused) {
    assert.throws(() => parseSchedule(text, 'UTC'), { message }, text);
  }
});

test('a day that no year has is refused', () => {
  for (const text of ['0 0 30 2 *', '0 0 31 2,4,6,9,11 *']) {
    assert.throws(() => parseSchedule(text, 'UTC'), {
      message: `the schedule "${text}" never comes: no year has that day of month and month`,
    });
  }
  assert.deepEqual(ticks('0 0 29 2 *', 'UTC', '2096-03-01T00:00Z', 1), ['2104-02-29T00:00Z']);
});

const NICKNAMES: [string, string][] = [
  ['@hourly', '2026-01-01T01:00Z'],
  ['@daily', '2026-01-02T00:00Z'],
  ['@midnight', '2026-01-02T00:00Z'],
  ['@weekly', '2026-01-04T00:00Z'],
  ['@monthly', '2026-02-01T00:00Z'],
  ['@yearly', '2027-01-01T00:00Z'],
  ['@annually', '2027-01-01T00:00Z'],
  ['@DAILY', '2026-01-02T00:00Z'],
];

test('nicknames, blanks around and between the fields', () => {
  for (const [text, first] of NICKNAMES) {
    assert.deepEqual(ticks(text, 'UTC', '2026-01-01T00:00Z', 1), [first], text);
  }
  assert.deepEqual(ticks(' 0\t2  * Feb-mar MON-FRI ', 'UTC', '2026-01-01T00:00Z', 1), [
    '2026-02-02T02:00Z',
  ]);
});
