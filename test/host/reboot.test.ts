import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lastValueFrom, toArray } from 'rxjs';
import { BusError } from '../../src/host/bus.ts';
import { reboot } from '../../src/host/reboot.ts';
import { busOf } from './bus-fake.ts';
import { LOST } from './systemd-fake.ts';

/** A test that waits for what never comes. */
const BOUNDED = { timeout: 10_000 };
const told = ({ connect }: Pick<ReturnType<typeof busOf>, 'connect'>) =>
  lastValueFrom(reboot({ connect, reconnectMs: 0, command: '', journalPaths: [] }).pipe(toArray()));
const REQUESTED = [{ type: 'reboot.requested' }];

describe('asking the host for a reboot', () => {
  test('logind is asked once, and nobody for a password', async () => {
    const bus = busOf([]);
    assert.deepEqual(await told(bus), REQUESTED);
    assert.deepEqual(bus.calls, [
      {
        destination: 'org.freedesktop.login1',
        path: '/org/freedesktop/login1',
        interface: 'org.freedesktop.login1.Manager',
        member: 'Reboot',
        signature: 'b',
        body: [false],
      },
    ]);
    assert.equal(bus.open(), 0);
  });

  const REFUSALS = [
    'org.freedesktop.DBus.Error.AccessDenied',
    'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired',
    'org.freedesktop.login1.BlockedByInhibitorLock',
    'org.freedesktop.systemd1.UnitMasked',
  ];
  for (const name of REFUSALS) {
    test(`trap 24: ${name} is a refusal at once, with its text`, async () => {
      const bus = busOf(new BusError(name, 'Permission denied'));
      assert.deepEqual(await told(bus), [{ type: 'reboot.refused', message: 'Permission denied' }]);
      assert.equal(bus.calls.length, 1);
    });
  }

  const UNKNOWN = [
    LOST,
    new BusError('org.freedesktop.DBus.Error.NoReply', 'no reply'),
    new BusError('org.freedesktop.DBus.Error.TimedOut', 'timed out'),
    new BusError('org.freedesktop.login1.OperationInProgress', 'already in progress'),
    new BusError('org.freedesktop.systemd1.TransactionIsDestructive', 'on its way down'),
  ];
  for (const error of UNKNOWN) {
    test(`trap 24: ${error.name}: nobody can know, it is not asked twice`, async () => {
      const bus = busOf(error, []);
      assert.deepEqual(await told(bus), REQUESTED);
      assert.equal(bus.calls.length, 1);
    });
  }

  test('a bus or a logind that is starting is asked again', BOUNDED, async () => {
    const away = new BusError('org.freedesktop.DBus.Error.ServiceUnknown', 'no login1');
    const bus = busOf(away, []);
    let tries = 0;
    const connect = async () => {
      tries += 1;
      if (tries === 1) throw new BusError('NoBus', 'no system bus at x');
      return bus.connect();
    };
    assert.deepEqual(await told({ connect }), REQUESTED);
    assert.equal(bus.calls.length, 2);
    assert.equal(bus.open(), 0);
  });

  test('trap 24: a bus that stays away is a refusal with its text', BOUNDED, async () => {
    const connect = async () => {
      throw new BusError('NoBus', 'no system bus at x');
    };
    assert.deepEqual(await told({ connect }), [
      { type: 'reboot.refused', message: 'no system bus at x' },
    ]);
  });

  describe('by a command of the user', () => {
    const NONE = new BusError('org.freedesktop.systemd1.NoSuchUnit', 'not loaded');
    const run = ({ connect }: ReturnType<typeof busOf>) =>
      lastValueFrom(
        reboot({ connect, reconnectMs: 0, command: 'echo $x', journalPaths: [] }).pipe(toArray()),
      );

    test('trap 24: the bus is lost with it: nobody can know, it is not run twice', async () => {
      const bus = busOf(NONE, NONE, LOST, []);
      assert.deepEqual(await run(bus), REQUESTED);
      const starts = bus.calls.filter(({ member }) => member === 'StartTransientUnit');
      assert.equal(starts.length, 1);
      // As the shell is to see it: systemd takes two for one.
      assert.match(JSON.stringify(starts[0]?.body), /echo \$\$x/);
    });

    test('trap 24: one that the host does not start is a refusal with the text', async () => {
      const denied = new BusError('org.freedesktop.DBus.Error.AccessDenied', 'not you');
      const bus = busOf(NONE, NONE, denied);
      assert.deepEqual(await run(bus), [{ type: 'reboot.refused', message: 'not you' }]);
    });
  });
});
