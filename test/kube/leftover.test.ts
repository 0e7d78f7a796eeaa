import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLeftover } from '../../src/kube/reboot.ts';

const PREFIX = 'pharos-host-upgrades.kontena.io';
const leftover = (annotations?: Record<string, string>) =>
  readLeftover({ metadata: annotations === undefined ? {} : { annotations } });

test('a node without marks has nothing left over', () => {
  for (const found of [leftover(), leftover({ other: 'x' }), readLeftover({})]) {
    assert.deepEqual(found, { isCordoned: false, reboot: null });
  }
  // The boot alone, without the mark that it belongs to, says nothing.
  assert.equal(leftover({ [`${PREFIX}/reboot-boot-id`]: 'b' }).reboot, null);
});

test('the marks of this program and of the original', () => {
  assert.deepEqual(
    leftover({
      [`${PREFIX}/drain`]: 'true',
      [`${PREFIX}/reboot`]: '"2026-12-01T04:31:09.086Z"',
      [`${PREFIX}/reboot-boot-id`]: 'boot-1',
    }),
    {
      isCordoned: true,
      reboot: {
        at: '2026-12-01T04:31:09.086Z',
        atMs: Date.UTC(2026, 11, 1, 4, 31, 9, 86),
        bootId: 'boot-1',
      },
    },
  );
  // Go writes nanoseconds, and the zone of the host.
  const { reboot } = leftover({ [`${PREFIX}/reboot`]: '"2026-12-01T06:31:09.086063932+02:00"' });
  assert.equal(reboot?.atMs, Date.UTC(2026, 11, 1, 4, 31, 9, 86));
  assert.equal(reboot?.bootId, '');
});

test('a mark that says no time is one of long ago, in its own words', () => {
  for (const mark of [
    '',
    'x',
    '5',
    'null',
    '{}',
    '"5"',
    '"2026-12-01"',
    '"2026-13-41T99:99:99Z"',
  ]) {
    const { reboot } = leftover({ [`${PREFIX}/reboot`]: mark });
    assert.deepEqual(reboot, { at: mark, atMs: 0, bootId: '' });
  }
});
