import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { lastValueFrom, toArray } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { BusError } from '../../src/host/bus.ts';
import { debian } from '../../src/host/debian.ts';
import { FILES } from '../../src/host/debian-script.ts';
import { type UpgradeOptions, upgrade } from '../../src/host/upgrade.ts';
import { FakeSystemd, LOST } from './systemd-fake.ts';

/** A test that waits for what never comes. */
const BOUNDED = { timeout: 10_000 };

describe('an upgrade over a bus that comes and goes', () => {
  let mount = '';
  beforeEach(() => {
    mount = mkdtempSync(join(tmpdir(), 'upgrade-'));
  });
  afterEach(() => rmSync(mount, { recursive: true }));

  const warnings: string[] = [];
  const newHost = () => {
    warnings.length = 0;
    return new FakeSystemd(() => {
      writeFileSync(join(mount, FILES.upgrade), 'Setting up a (2) ...\n');
    });
  };
  const optionsFor = (host: FakeSystemd): UpgradeOptions => ({
    connect: host.connect,
    driver: debian,
    mount,
    readConfig: () => null,
    bootMs: 0,
    journalPaths: ['/nowhere'],
    warn: (message) => warnings.push(message),
    reconnectMs: 0,
  });
  const run = (host: FakeSystemd): Promise<RunEvent[]> =>
    lastValueFrom(upgrade(optionsFor(host), 'r1', {}).pipe(toArray()));
  const types = (events: RunEvent[]) => events.map(({ type }) => type);

  test('all well: one start, its output, one end, nothing left', async () => {
    const host = newHost();
    assert.deepEqual(types(await run(host)), ['upgrade.output', 'upgrade.finished']);
    assert.equal(host.starts, 1);
    assert.equal(host.unit, null);
    assert.equal(host.open, 0);
  });

  test('a unit that still waits to be started has not ended', BOUNDED, async () => {
    const host = newHost();
    host.queued = 2;
    host.result = 'exit-code';
    host.started = 'failed';
    const last = (await run(host)).at(-1);
    assert.ok(last?.type === 'upgrade.failed');
    assert.match(last.message, /exit status 1/);
    assert.equal(host.starts, 1);
  });

  test('a cleared unit that systemd has not forgotten yet is waited for', BOUNDED, async () => {
    const host = newHost();
    const error = new BusError('org.freedesktop.systemd1.UnitExists', 'already loaded');
    for (let count = 0; count < 4; count += 1) {
      host.faults.push({ member: 'StartTransientUnit', when: 'before', error });
    }
    assert.deepEqual(types(await run(host)), ['upgrade.output', 'upgrade.finished']);
    host.faults.push(...new Array(5).fill({ member: 'StartTransientUnit', when: 'before', error }));
    const [event] = await run(host);
    assert.ok(event?.type === 'upgrade.failed');
    assert.match(event.message, /: the host has a host-upgrades\.service of its own: see /);
  });

  const members = ['GetUnit', 'GetAll', 'Get', 'StartTransientUnit', 'AddMatch', 'Subscribe'];
  for (const when of ['before', 'after'] as const) {
    for (const member of members) {
      test(`the bus is lost ${when} ${member}: one start, one end`, async () => {
        const host = newHost();
        host.faults.push({ member, when, error: LOST });
        assert.deepEqual(types(await run(host)), ['upgrade.output', 'upgrade.finished']);
        assert.equal(host.starts, 1);
        assert.equal(host.connections, 2);
        assert.equal(host.open, 0);
      });
    }
  }

  test('lost once the end is told: nothing is told twice, and it is said', async () => {
    const host = newHost();
    host.faults.push({ member: 'StopUnit', when: 'before', error: LOST });
    assert.deepEqual(types(await run(host)), ['upgrade.output', 'upgrade.finished']);
    assert.deepEqual(warnings, [`host-upgrades.service: ${LOST.message}`]);
    assert.equal(host.open, 0);
  });

  test('gone for good: failed after a bound', async () => {
    const host = newHost();
    const gone = new BusError('NoBus', 'no system bus at x');
    let tries = 0;
    const connect = async () => {
      tries += 1;
      throw gone;
    };
    const events = await lastValueFrom(
      upgrade({ ...optionsFor(host), connect }, 'r1', {}).pipe(toArray()),
    );
    assert.deepEqual(events, [
      {
        type: 'upgrade.failed',
        status: { rebootRequired: false, detail: '0001-01-01 00:00:00 +0000 UTC  ', bootMs: 0 },
        message: 'Failed to run host upgrades: no system bus at x',
      },
    ]);
    assert.equal(tries, 120);
  });

  const NAMES = [
    'org.freedesktop.DBus.Error.NoReply',
    'org.freedesktop.DBus.Error.ServiceUnknown',
    'org.freedesktop.DBus.Error.Spawn.ChildExited',
    'org.freedesktop.DBus.Error.AccessDenied',
  ];
  for (const name of NAMES) {
    for (const member of ['AddMatch', 'Subscribe']) {
      test(`${name} for ${member} while it runs: nothing is given up`, BOUNDED, async () => {
        const host = newHost();
        for (let count = 0; count < 200; count += 1) {
          host.faults.push({ member, when: 'before', error: new BusError(name, 'not now') });
        }
        assert.deepEqual(types(await run(host)), ['upgrade.output', 'upgrade.finished']);
        assert.equal(host.starts, 1);
        assert.equal(warnings.length, name.endsWith('AccessDenied') ? 1 : 0);
      });
    }
  }

  test('a start that systemd does not answer is asked for again, and started once', async () => {
    const host = newHost();
    const error = new BusError('org.freedesktop.DBus.Error.NoReply', 'starting anew');
    host.faults.push({ member: 'StartTransientUnit', when: 'after', error });
    assert.deepEqual(types(await run(host)), ['upgrade.output', 'upgrade.finished']);
    assert.equal(host.starts, 1);
  });

  test('refused: failed at once, with the reason', async () => {
    const host = newHost();
    const error = new BusError('org.freedesktop.DBus.Error.AccessDenied', 'not you');
    host.faults.push({ member: 'StartTransientUnit', when: 'before', error });
    const [event] = await run(host);
    assert.ok(event?.type === 'upgrade.failed');
    assert.equal(event.message, 'Failed to run host upgrades: not you');
    assert.equal(host.connections, 1);
  });

  test('a configuration that cannot be read starts nothing', async () => {
    const host = newHost();
    const readConfig = () => {
      throw new Error('--config-path=/x: cannot be read (EIO)');
    };
    const [event] = await lastValueFrom(
      upgrade({ ...optionsFor(host), readConfig }, 'r1', {}).pipe(toArray()),
    );
    assert.ok(event?.type === 'upgrade.failed');
    assert.match(event.message, /--config-path=\/x: cannot be read/);
    assert.equal(host.starts, 0);
  });

  test('whoever has heard the end may leave at once: the unit is still let go', async () => {
    const host = newHost();
    const closed = new Promise<void>((resolve) => {
      host.onClose = resolve;
    });
    const subscription = upgrade(optionsFor(host), 'r1', {}).subscribe(({ type }) => {
      if (type === 'upgrade.finished') subscription.unsubscribe();
    });
    await closed;
    assert.equal(host.unit, null);
    assert.deepEqual(warnings, []);
  });

  for (const [what, member, state] of [
    ['while it runs', 'Subscribe', 'activating'],
    ['as it ends', 'GetAll', 'active'],
  ] as const) {
    test(
      `leaving ${what} tells nothing and leaves the unit, for the next to hear`,
      BOUNDED,
      async () => {
        const host = newHost();
        host.started = state;
        const closed = new Promise<void>((resolve) => {
          host.onClose = resolve;
        });
        const events: RunEvent[] = [];
        const subscription = upgrade(optionsFor(host), 'r1', {}).subscribe((event) => {
          events.push(event);
        });
        host.onAnswer = (answered) => {
          if (answered === member) subscription.unsubscribe();
        };
        await closed;
        assert.deepEqual(events, []);
        assert.equal(host.connections, 1);
        host.onAnswer = () => {};
        Object.assign(host.unit ?? {}, { ActiveState: 'active', SubState: 'exited' });
        assert.deepEqual(types(await run(host)), ['upgrade.output', 'upgrade.finished']);
        assert.deepEqual(warnings, []);
        assert.equal(host.starts, 1);
      },
    );
  }

  test('leaving while a failed one’s journal is read leaves the unit too', BOUNDED, async () => {
    const host = newHost();
    host.started = 'failed';
    host.result = 'exit-code';
    const closed = new Promise<void>((resolve) => {
      host.onClose = resolve;
    });
    const subscription = upgrade(optionsFor(host), 'r1', {}).subscribe();
    host.onAnswer = (answered) => {
      if (answered === 'GetAll') setImmediate(() => subscription.unsubscribe());
    };
    await closed;
    host.onAnswer = () => {};
    assert.deepEqual(types(await run(host)), ['upgrade.output', 'upgrade.failed']);
    assert.deepEqual(warnings, []);
    assert.equal(host.starts, 1);
  });
});
