import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Variant } from '@jellybrick/dbus-next';
import { parseBootMs, readBoot } from '../../src/host/boot.ts';
import { busOf } from './bus-fake.ts';

/** Of a host whose systemd came up `us` after the kernel. */
const boot = async (us: bigint) => readBoot(await busOf([new Variant('t', us)]).connect());

describe('which boot the host is in', () => {
  test('when it began', () => {
    assert.equal(parseBootMs('cpu  1 2 3\nbtime 1700000000\nprocesses 1\n'), 1_700_000_000_000);
    assert.throws(() => parseBootMs('cpu 1\n'), /no boot time/);
  });

  test('trap 50: two boots of one kernel boot_id are told apart', async () => {
    const ids = [];
    for (const us of [1_000_001n, 1_000_002n]) {
      const { bootId, bootMs } = await boot(us);
      assert.match(bootId, new RegExp(`^[0-9a-f-]{36}/${us}$`));
      assert.ok(bootMs > 0);
      ids.push(bootId);
    }
    const [one, other] = ids.map((id) => id.split('/'));
    assert.equal(one?.[0], other?.[0]);
    assert.notEqual(one?.[1], other?.[1]);
  });
});
