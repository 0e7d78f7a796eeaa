import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from '../../src/schedule/schedule.ts';
import { type Random, randomFrom } from './random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, ticksBetween, utc } from './ticks.ts';

/** Zones, and a day near which their clocks change. */
const CHANGES: [string, string][] = [
  ['Europe/Berlin', '2025-03-30'],
  ['Europe/Berlin', '2025-10-26'],
  ['Europe/Helsinki', '2025-03-30'],
  ['Europe/Helsinki', '2025-10-26'],
  ['America/New_York', '2025-03-09'],
  ['America/New_York', '2025-11-02'],
  ['America/Los_Angeles', '2025-11-02'],
  ['Australia/Melbourne', '2024-04-06'],
  ['Australia/Melbourne', '2024-10-05'],
  ['Australia/Lord_Howe', '2025-04-05'],
  ['Africa/Cairo', '2025-04-25'],
  ['Africa/Cairo', '2025-10-31'],
  ['Asia/Kathmandu', '2025-10-26'],
  ['UTC', '2025-10-26'],
];

interface RandomField {
  text: string;
  values: number[];
}

const numbers = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

/** `last` is where `*` ends; numbers are drawn up to `to`. */
function randomField(random: Random, from: number, last: number, to = last): RandomField {
  const a = random(from, to);
  const b = random(a, to);
  const step = random(2, Math.min(20, last));
  const kinds: RandomField[] = [
    { text: '*', values: numbers(from, last) },
    { text: `*/${step}`, values: numbers(from, last, step) },
    { text: `${a}-${b}`, values: numbers(a, b) },
    { text: `${b},${a}`, values: [a, b] },
    { text: `${a}`, values: [a] },
  ];
  return kinds[random(0, kinds.length - 1)] as RandomField;
}

interface Expression {
  minute: RandomField;
  hour: RandomField;
  dayOfMonth: RandomField;
  dayOfWeek: RandomField;
}

function randomExpression(random: Random): Expression {
  const anyDay = { text: '*', values: numbers(0, 31) };
  return {
    minute: randomField(random, 0, 59),
    // The small hours, where clocks change.
    hour: randomField(random, 0, 23, 4),
    dayOfMonth: random(0, 3) === 0 ? randomField(random, 1, 31) : anyDay,
    dayOfWeek: random(0, 3) === 0 ? randomField(random, 0, 6) : anyDay,
  };
}

const textOf = ({ minute, hour, dayOfMonth, dayOfWeek }: Expression) =>
  `${minute.text} ${hour.text} ${dayOfMonth.text} * ${dayOfWeek.text}`;

/** Whether an expression means a local time; `localMs` is that time as if it were UTC. */
function means({ minute, hour, dayOfMonth, dayOfWeek }: Expression, localMs: number): boolean {
  const local = new Date(localMs);
  const isDay = dayOfMonth.values.includes(local.getUTCDate());
  const isWeekday = dayOfWeek.values.includes(local.getUTCDay());
  const isBoth = [dayOfMonth, dayOfWeek].some(({ text }) => text.startsWith('*'));
  return (
    minute.values.includes(local.getUTCMinutes()) &&
    hour.values.includes(local.getUTCHours()) &&
    (isBoth ? isDay && isWeekday : isDay || isWeekday)
  );
}

/** What the clocks on the wall show, as if it were UTC, minute by minute. */
function wall(zone: string, fromMs: number, toMs: number): [number, number][] {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return numbers(fromMs, toMs - MINUTE_MS, MINUTE_MS).map((atMs) => [
    atMs,
    Date.parse(`${format.format(atMs).replace(' ', 'T')}Z`),
  ]);
}

/** The rule of the schedule once more, slowly: read off the wall minute by minute. */
function ticksOnTheWall(expression: Expression, minutes: [number, number][]): number[] {
  const isFixed = !/[*/]/.test(expression.minute.text + expression.hour.text);
  const shown = new Set<number>();
  let lastMs = (minutes[0]?.[1] ?? 0) - MINUTE_MS;
  const found: number[] = [];
  for (const [atMs, localMs] of minutes) {
    const skipped = isFixed ? numbers(lastMs + MINUTE_MS, localMs - MINUTE_MS, MINUTE_MS) : [];
    const isRepeated = isFixed && shown.has(localMs);
    if (
      (!isRepeated && means(expression, localMs)) ||
      skipped.some((ms) => means(expression, ms))
    ) {
      found.push(atMs);
    }
    shown.add(localMs);
    lastMs = localMs;
  }
  return found;
}

for (const [index, [zone, day]] of CHANGES.entries()) {
  test(`traps 42 and 43: ticks in ${zone} around ${day} are those of a clock on the wall`, () => {
    const random = randomFrom(index + 1);
    const fromMs = Date.parse(day) - DAY_MS;
    const toMs = fromMs + 3 * DAY_MS;
    const minutes = wall(zone, fromMs, toMs);
    for (let round = 0; round < 6; round += 1) {
      const expression = randomExpression(random);
      const text = textOf(expression);
      const expected = ticksOnTheWall(expression, minutes).map(utc);
      assert.deepEqual(ticksBetween(text, zone, fromMs, toMs).map(utc), expected, text);
      // Backwards the same ticks.
      const schedule = parseSchedule(text, zone);
      const back: string[] = [];
      for (
        let atMs = schedule.previous(toMs - 1);
        atMs >= fromMs;
        atMs = schedule.previous(atMs - 1)
      ) {
        back.unshift(utc(atMs));
      }
      assert.deepEqual(back, expected, text);
    }
  });

  test(`next and previous in ${zone} around ${day} are one rule, at any ms`, () => {
    const random = randomFrom(index + 1000);
    for (let round = 0; round < 100; round += 1) {
      const text =
        random(0, 9) === 0 ? `@every ${random(1, 9999)}s` : textOf(randomExpression(random));
      const schedule = parseSchedule(text, zone);
      const atMs = Date.parse(day) + random(-30 * HOUR_MS, 54 * HOUR_MS);
      const nextMs = schedule.next(atMs);
      const previousMs = schedule.previous(atMs);
      const where = `${text} at ${new Date(atMs).toISOString()}`;
      assert.ok(previousMs <= atMs && atMs < nextMs, where);
      // Between the two there is nothing, from either side.
      assert.equal(schedule.next(previousMs), nextMs, where);
      assert.equal(schedule.next(nextMs - 1), nextMs, where);
      assert.equal(schedule.previous(nextMs), nextMs, where);
      assert.equal(schedule.previous(nextMs - 1), previousMs, where);
      assert.equal(schedule.next(previousMs - 1), previousMs, where);
      // Later is never answered by an earlier tick.
      const laterMs = atMs + random(1, 3 * HOUR_MS);
      assert.ok(
        schedule.next(laterMs) >= nextMs && schedule.previous(laterMs) >= previousMs,
        where,
      );
    }
  });
}
