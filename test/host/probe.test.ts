import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeLines } from '../../src/host/probe.ts';

test('the line of a start that tells of the host', () => {
  const system = { operatingSystem: 'Debian GNU/Linux 12 (bookworm)', kernel: '6.1.0' };
  const info = { ...system, bootId: 'b/1', bootMs: 0 };
  assert.deepEqual(probeLines(info), ['Probed host: Debian GNU/Linux 12 (bookworm)']);
});
