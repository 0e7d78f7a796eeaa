import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseDriver } from '../../src/host/driver.ts';
import { parseBootMs, probeLines } from '../../src/host/probe.ts';

describe('who the host is', () => {
  test('when it booted', () => {
    assert.equal(parseBootMs('cpu  1 2 3\nbtime 1700000000\nprocesses 1\n'), 1_700_000_000_000);
    assert.throws(() => parseBootMs('cpu 1\n'), /no boot time/);
  });

  test('the line of a start', () => {
    const info = { operatingSystem: 'Debian GNU/Linux 12 (bookworm)', kernel: '6.1.0', bootMs: 0 };
    assert.deepEqual(probeLines(info), ['Probed host: Debian GNU/Linux 12 (bookworm)']);
  });

  test('the families that can be upgraded', () => {
    const debian = chooseDriver('Debian GNU/Linux 12 (bookworm)');
    assert.equal(chooseDriver('Ubuntu 24.04.1 LTS'), debian);
  });

  test('any other is one line that names what is supported', () => {
    for (const other of ['Fedora Linux 41', 'Not Debian', 'Debianish 1', '']) {
      assert.throws(
        () => chooseDriver(other),
        /^Error: cannot upgrade a host of [^\n]*: supported are Debian and Ubuntu$/,
      );
    }
  });
});
