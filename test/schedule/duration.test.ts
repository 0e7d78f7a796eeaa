import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from '../../src/schedule/duration.ts';

/** What Go's time.ParseDuration makes of a text, in ns, and what its String() prints then. */
const GO_PARSED: [string, number, string][] = [
  ['0', 0, '0s'],
  ['-0', 0, '0s'],
  ['+0', 0, '0s'],
  ['0s', 0, '0s'],
  ['-0s', 0, '0s'],
  ['1s', 1e9, '1s'],
  ['-1s', -1e9, '-1s'],
  ['+5s', 5e9, '5s'],
  ['90s', 90e9, '1m30s'],
  ['1h30m', 5400e9, '1h30m0s'],
  ['1.5h', 5400e9, '1h30m0s'],
  ['300ms', 300e6, '300ms'],
  ['1us', 1000, '1µs'],
  ['1\u00b5s', 1000, '1µs'],
  ['1\u03bcs', 1000, '1µs'],
  ['1ns', 1, '1ns'],
  ['0.5ns', 0, '0s'],
  ['1.000000001s', 1_000_000_001, '1.000000001s'],
  ['1.1s', 1_100_000_000, '1.1s'],
  ['.5s', 500e6, '500ms'],
  ['5.s', 5e9, '5s'],
  ['0.3333333333333333333h', 1200e9, '20m0s'],
  ['0.9223372036854775807h', 3_320_413_933_267, '55m20.413933267s'],
  ['1h1h', 7200e9, '2h0m0s'],
  ['1m1h', 3660e9, '1h1m0s'],
  ['1ms1us', 1_001_000, '1.001ms'],
  ['1.234ms', 1_234_000, '1.234ms'],
  ['100000h', 360e15, '100000h0m0s'],
];

for (const [text, ns, printed] of GO_PARSED) {
  test(`the duration ${text} is ${printed}, as in Go`, () => {
    assert.ok(Object.is(parseDuration(text), ns / 1e6), `${parseDuration(text)} ms`);
    assert.equal(formatDuration(parseDuration(text)), printed);
  });
}

/** What Go's Duration.String() prints for so many ns. */
const GO_PRINTED: [number, string][] = [
  [1, '1ns'],
  [999, '999ns'],
  [1001, '1.001µs'],
  [1100, '1.1µs'],
  [999_999, '999.999µs'],
  [1e6, '1ms'],
  [999_999_999, '999.999999ms'],
  [1e9, '1s'],
  [9.5e9, '9.5s'],
  [59_999_999_999, '59.999999999s'],
  [60e9, '1m0s'],
  [3_599_999_999_999, '59m59.999999999s'],
  [3600e9, '1h0m0s'],
  [3_600_000_000_001, '1h0m0.000000001s'],
  [3_661_001_000_000, '1h1m1.001s'],
  [-1, '-1ns'],
  [-1_500_000, '-1.5ms'],
  [-3600e9, '-1h0m0s'],
  [86_400e9, '24h0m0s'],
  [2_662_121_553_980_116, '739h28m41.553980116s'],
  [11_778_515_662, '11.778515662s'],
];

test('durations are printed as in Go', () => {
  for (const [ns, printed] of GO_PRINTED) assert.equal(formatDuration(ns / 1e6), printed);
});

test('any whole number of ms comes back from its text', () => {
  for (let ms = 1; ms < 9e12; ms = ms * 3 + 7) {
    assert.equal(parseDuration(formatDuration(ms)), ms);
    assert.equal(parseDuration(formatDuration(-ms)), -ms);
  }
});

const REFUSED: [string, string][] = [
  ['', 'it is not a number with a unit'],
  ['+', 'it is not a number with a unit'],
  ['-', 'it is not a number with a unit'],
  ['.', 'it is not a number with a unit'],
  ['.s', 'it is not a number with a unit'],
  ['s', 'it is not a number with a unit'],
  ['--1s', 'it is not a number with a unit'],
  ['1h.', 'it is not a number with a unit'],
  [' 1h', 'it is not a number with a unit'],
  ['1', 'a unit is missing'],
  ['1h30', 'a unit is missing'],
  ['1..5s', 'a unit is missing'],
  ['1h 30m', 'there is no unit "h "'],
  ['1d', 'there is no unit "d"'],
  ['1H', 'there is no unit "H"'],
  ['1h-30m', 'there is no unit "h-"'],
  ['1e3s', 'there is no unit "e"'],
  ['1_000s', 'there is no unit "_"'],
  ['1constructor', 'there is no unit "constructor"'],
  ['1h\n', 'there is no unit "h\\n"'],
  ['3000000h', 'it is longer than 292 years'],
];

test('what Go refuses is refused in one line that says why and what to write', () => {
  for (const [text, why] of REFUSED) {
    assert.throws(() => parseDuration(text), {
      message: `${JSON.stringify(text)} is not a duration: ${why}; write for example 90s, 15m or 1h30m`,
    });
  }
});
