import { createClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/config.ts';
import { acquireLock, readLock } from '../../src/kube/lock.ts';
import { watchLock } from '../../src/kube/watch.ts';
import { inputOf, one } from './objects.ts';

/**
 * A process of its own, since proxies are set by the environment: a GET, a PATCH and a watch as in
 * a pod. Arguments: the service account's folder and the DaemonSet. Prints the types of the events.
 */
const [folder = '', name = ''] = process.argv.slice(2);
const client = createClient(await loadKubeConfig('', process.env, folder), { userAgent: 'child' });
const types: string[] = [];
const read = await one(readLock(client, inputOf(name, { value: '', resourceVersion: '' })));
types.push(read.type);
if (read.type === 'lock.read') {
  types.push((await one(acquireLock(client, inputOf(name, read.lock)))).type);
  types.push((await one(watchLock(client, inputOf(name, read.lock)))).type);
} else if ('message' in read) types.push(read.message);
await client.close();
process.stdout.write(types.join(' '));
