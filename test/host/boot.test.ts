import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Variant } from '@jellybrick/dbus-next';
import { lastValueFrom, toArray } from 'rxjs';
import { parseBootMs, watchBoot } from '../../src/host/boot.ts';
import { BusError } from '../../src/host/bus.ts';
import { busOf } from './bus-fake.ts';
import { LOST } from './systemd-fake.ts';

/** A test that waits for what never comes. */
const BOUNDED = { timeout: 10_000 };
const up = (us: bigint) => [new Variant('t', us)];
const told = (bus: ReturnType<typeof busOf>) =>
  lastValueFrom(watchBoot(bus.connect, 1).pipe(toArray()));

describe('which boot the host is in', () => {
  test('when it began', () => {
    assert.equal(parseBootMs('cpu  1 2 3\nbtime 1700000000\nprocesses 1\n'), 1_700_000_000_000);
    assert.throws(() => parseBootMs('cpu 1\n'), /no boot time/);
  });

  test('is told once, and that is all', async () => {
    const bus = busOf(up(5_000_000n));
    const [event, ...more] = await told(bus);
    assert.deepEqual(more, []);
    assert.ok(event?.type === 'host.booted');
    assert.match(event.bootId, /^[0-9a-f-]{36}\/5000000$/);
    assert.ok(event.bootMs > 0 && event.atMs >= event.bootMs);
    assert.equal(bus.open(), 0);
  });

  test('trap 50: two boots of one kernel boot_id are told apart', async () => {
    const ids = [];
    for (const us of [1_000_001n, 1_000_002n]) {
      const [event] = await told(busOf(up(us)));
      ids.push(event?.type === 'host.booted' ? event.bootId : '');
    }
    const [one, other] = ids.map((id) => id.split('/'));
    assert.equal(one?.[0], other?.[0]);
    assert.notEqual(one?.[1], other?.[1]);
  });

  test('is asked again while the bus is away, on a new connection', BOUNDED, async () => {
    const gone = new BusError('NoBus', 'no system bus at x');
    const refused = new BusError('org.freedesktop.DBus.Error.AccessDenied', 'not you');
    const bus = busOf(LOST, gone, refused, up(7n));
    const events = await told(bus);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['host.booted'],
    );
    assert.equal(bus.calls.length, 4);
    assert.equal(bus.open(), 0);
  });

  test('unsubscribing ends the asking', BOUNDED, async () => {
    const asked = Promise.withResolvers<void>();
    let tries = 0;
    const subscription = watchBoot(async () => {
      tries += 1;
      if (tries === 2) asked.resolve();
      throw LOST;
    }, 1).subscribe(() => assert.fail('told'));
    await asked.promise;
    subscription.unsubscribe();
    const after = tries;
    // Nothing is left that would keep the process: asked again it would be within these turns.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((go) => setImmediate(go));
    assert.equal(tries, after);
  });
});
