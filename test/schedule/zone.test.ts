import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemZone, type ZoneSources, zoneInForce } from '../../src/schedule/zone.ts';
import { ticks } from './ticks.ts';

const zone = (sources: Partial<ZoneSources>) =>
  zoneInForce({ option: undefined, env: undefined, system: undefined, ...sources });

test('trap 47: a zone that is not known is an error, from the command line and from TZ', () => {
  const advice = 'use a name such as Europe/Berlin or UTC, see `timedatectl list-timezones`';
  assert.throws(() => zone({ option: 'Europe/Berln' }), {
    message: `the time zone "Europe/Berln" is not known; ${advice}`,
  });
  assert.throws(() => zone({ env: 'Europe/Berln' }), {
    message: `TZ "Europe/Berln" is not known; ${advice}`,
  });
  assert.throws(() => zone({ env: ':/etc/localtime' }), {
    message: `TZ ":/etc/localtime" is not known; ${advice}`,
  });
  for (const env of ['CET-1CEST,M3.5.0,M10.5.0/3', '+02:00', ' Europe/Berlin', 'Local', 'GMT+2']) {
    assert.throws(() => zone({ env }), { message: /is not known/ }, env);
  }
});

test('trap 47: US/Eastern is New York', () => {
  const eastern = zone({ env: 'US/Eastern' });
  assert.deepEqual(
    ticks('0 2 * * *', eastern, '2026-07-01T00:00Z', 2),
    ticks('0 2 * * *', 'America/New_York', '2026-07-01T00:00Z', 2),
  );
});

test('trap 47: an empty zone is UTC', () => {
  assert.equal(zone({ env: '', system: 'Europe/Berlin' }), 'UTC');
  assert.equal(zone({ option: '', env: 'Europe/Berlin' }), 'UTC');
});

test('the option comes before TZ, and TZ before the machine', () => {
  const sources = { option: 'Europe/Helsinki', env: 'Europe/Berlin', system: 'Europe/Paris' };
  assert.equal(zone(sources), 'Europe/Helsinki');
  assert.equal(zone({ ...sources, option: undefined }), 'Europe/Berlin');
  assert.equal(zone({ system: 'Europe/Paris' }), 'Europe/Paris');
});

test('TZ may begin with a colon, or be a zoneinfo file', () => {
  for (const env of [
    ':Europe/Berlin',
    '/usr/share/zoneinfo/Europe/Berlin',
    ':/usr/share/zoneinfo/Europe/Berlin',
  ]) {
    assert.equal(zone({ env }), 'Europe/Berlin');
  }
});

test('a machine whose zone has no name is an error', () => {
  assert.throws(() => zone({}), {
    message: "the machine's time zone has no name; set TZ to one such as Europe/Berlin",
  });
});

test('the machine that runs this test has a zone that is known, or none', () => {
  const system = systemZone();
  if (system !== undefined) assert.equal(zone({ system }), system);
});
