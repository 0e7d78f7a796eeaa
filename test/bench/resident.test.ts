import assert from 'node:assert/strict';
import { test } from 'node:test';
import { residentMb } from './resident.ts';

test('resident memory is the system’s figure, in MB', () => {
  const ownMb = process.memoryUsage.rss() / 1_048_576;
  const readMb = residentMb(process.pid);
  assert.ok(readMb > ownMb / 2 && readMb < ownMb * 2, `${readMb} of ${ownMb} MB`);
});

test('a process that is none is an error', () => {
  assert.throws(() => residentMb(0), /ENOENT/);
});
