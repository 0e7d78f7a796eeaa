import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseDriver } from '../../src/host/driver.ts';
import { probeLines } from '../../src/host/probe.ts';

describe('who the host is', () => {
  test('the line of a start', () => {
    const system = { operatingSystem: 'Debian GNU/Linux 12 (bookworm)', kernel: '6.1.0' };
    const info = { ...system, bootId: 'b/1', bootMs: 0 };
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
