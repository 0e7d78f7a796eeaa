import { text } from 'node:stream/consumers';
import { connectBus } from '../../src/host/bus.ts';
import { upgrade } from '../../src/host/debian.ts';

/** A process that starts an upgrade and is killed by the test: ADDRESS MOUNT, config on stdin. */
const [address = '', mount = ''] = process.argv.slice(2);
const config = new Map([['unattended-upgrades.conf', await text(process.stdin)]]);
const bus = await connectBus(address);
upgrade({ bus, mount, config, bootMs: 0, journalPath: '/nowhere' }, 'starter', false).subscribe();
