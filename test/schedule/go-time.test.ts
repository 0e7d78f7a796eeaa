import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatGoTime } from '../../src/schedule/go-time.ts';

const WINTER_MS = 1_550_742_070_123;
const SUMMER_MS = 1_563_000_000_000;

/** What Go prints with %v for both instants. */
const GO: [string, string, string][] = [
  ['UTC', '2019-02-21 09:41:10.123 +0000 UTC', '2019-07-13 06:40:00 +0000 UTC'],
  ['Europe/Helsinki', '2019-02-21 11:41:10.123 +0200 EET', '2019-07-13 09:40:00 +0300 EEST'],
  ['Europe/London', '2019-02-21 09:41:10.123 +0000 GMT', '2019-07-13 07:40:00 +0100 BST'],
  ['America/New_York', '2019-02-21 04:41:10.123 -0500 EST', '2019-07-13 02:40:00 -0400 EDT'],
  ['America/St_Johns', '2019-02-21 06:11:10.123 -0330 NST', '2019-07-13 04:10:00 -0230 NDT'],
  ['America/Sao_Paulo', '2019-02-21 06:41:10.123 -0300 -03', '2019-07-13 03:40:00 -0300 -03'],
  ['Asia/Kathmandu', '2019-02-21 15:26:10.123 +0545 +0545', '2019-07-13 12:25:00 +0545 +0545'],
  ['Asia/Kolkata', '2019-02-21 15:11:10.123 +0530 IST', '2019-07-13 12:10:00 +0530 IST'],
  ['Asia/Tokyo', '2019-02-21 18:41:10.123 +0900 JST', '2019-07-13 15:40:00 +0900 JST'],
  ['Africa/Casablanca', '2019-02-21 10:41:10.123 +0100 +01', '2019-07-13 07:40:00 +0100 +01'],
  ['Etc/GMT-2', '2019-02-21 11:41:10.123 +0200 +02', '2019-07-13 08:40:00 +0200 +02'],
];

for (const [zone, winter, summer] of GO) {
  test(`times in ${zone} as Go prints them`, () => {
    assert.equal(formatGoTime(WINTER_MS, zone), winter);
    assert.equal(formatGoTime(SUMMER_MS, zone), summer);
  });
}

test('zeros at the end of a second are left out', () => {
  assert.equal(formatGoTime(SUMMER_MS + 120, 'UTC'), '2019-07-13 06:40:00.12 +0000 UTC');
  assert.equal(formatGoTime(SUMMER_MS + 7, 'UTC'), '2019-07-13 06:40:00.007 +0000 UTC');
  assert.equal(formatGoTime(-880, 'UTC'), '1969-12-31 23:59:59.12 +0000 UTC');
});

test('midnight is 00:00, and both passes of a repeated hour differ', () => {
  assert.equal(
    formatGoTime(Date.parse('2025-10-25T22:00Z'), 'Europe/Berlin'),
    '2025-10-26 00:00:00 +0200 CEST',
  );
  assert.equal(
    formatGoTime(Date.parse('2025-10-26T00:30Z'), 'Europe/Berlin'),
    '2025-10-26 02:30:00 +0200 CEST',
  );
  assert.equal(
    formatGoTime(Date.parse('2025-10-26T01:30Z'), 'Europe/Berlin'),
    '2025-10-26 02:30:00 +0100 CET',
  );
});
