import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { bareNodeMb } from '../bench/bare.ts';
import { missing as missingCluster } from '../cluster/build.ts';
import { type Cluster, poll, startCluster } from '../cluster/cluster.ts';
import { type Host, startHost } from '../hosts/host.ts';
import { offer } from '../hosts/packages.ts';
import { CONFIG } from '../hosts/program.ts';
import { createNode, daemonSetPath } from '../kube/objects.ts';
import { requires } from '../requires.ts';
import { accountToken } from './account.ts';
import { createImages, type ImageConfig, type Images } from './image.ts';
import { kubectlFor } from './kubectl.ts';
import { container, DEPLOY, ROOT } from './manifests.ts';
import { createPod, imageFolder } from './pod.ts';
import { missing as missingImages } from './stand-in.ts';

const NODE = 'worker-1.eu.example';
const TAG = container().image ?? '';
/** Of the manifest, but for when: the program runs once. */
const ONCE = (container().args ?? []).filter((arg) => !/^--(schedule|health)/.test(arg));
/** Of a waiting agent, in times a Node that does nothing: 1.65 measured, half of it D-Bus, TLS and HTTP/2. */
const RESIDENT_MAX = 1.75;
const why = missingImages() || missingCluster();

describe('the image, built from the Dockerfile', requires('images and hosts', why), () => {
  let images: Images;
  let config: ImageConfig;
  let cluster: Cluster;
  let host: Host;
  let root: string;
  let pod: ReturnType<typeof createPod>;
  before(async () => {
    images = createImages();
    images.build(TAG);
    config = images.config(TAG);
    cluster = await startCluster();
    host = await startHost();
    root = imageFolder(host);
    images.unpack(TAG, root);
    const kubectl = kubectlFor(cluster);
    kubectl(['apply', '-k', DEPLOY]);
    kubectl.remove();
    await createNode(cluster, NODE);
    const files = { 'unattended-upgrades.conf': CONFIG };
    const token = await accountToken(cluster);
    pod = createPod({ host, cluster, image: config, node: NODE, token, config: files });
  });
  after(async () => {
    await host?.stop();
    await cluster?.stop();
    images?.remove();
  });

  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  test('built a second time it is the same to the bit', () => {
    images.build(`${TAG}-again`);
    assert.equal(images.id(`${TAG}-again`), images.id(TAG));
  });

  test('it starts the program as root without a shell, and says what it is', () => {
    const { Entrypoint, Cmd, User, Healthcheck, Labels, Env } = config;
    const [program, ...rest] = Entrypoint ?? [];
    assert.equal(program, 'node');
    assert.equal(rest.at(-1), '/usr/lib/host-upgrades/dist/host-upgrades.js');
    assert.deepEqual([Cmd ?? [], User, Healthcheck], [[], '0:0', undefined]);
    assert.equal(Labels?.['org.opencontainers.image.version'], version);
    assert.equal(Labels?.['org.opencontainers.image.licenses'], 'Apache-2.0');
    assert.deepEqual(
      Env?.map((text) => text.split('=')[0]),
      ['PATH'],
    );
  });

  test('it holds the bundle, and nothing that only building needs', () => {
    const own = join(root, 'usr/lib/host-upgrades');
    assert.match(readFileSync(join(own, 'dist/LICENSES'), 'utf8'), /node_modules\/xstate\/LICENSE/);
    for (const path of ['node_modules', 'src', 'machines']) assert.ok(!existsSync(join(own, path)));
    assert.ok(!existsSync(join(root, 'source')));
    assert.ok(!existsSync(join(root, 'usr/bin/systemctl')));
  });

  test('its program tells its version and its flags', async () => {
    const asked = pod.run(['--version']);
    assert.equal(await asked.ended(), 0, asked.stderr());
    assert.equal(asked.stdout(), `host-upgrades ${version}\n`);
    const helped = pod.run(['--help']);
    assert.equal(await helped.ended(), 0);
    assert.match(helped.stdout(), /--schedule-window=DURATION/);
  });

  test('it may write nowhere but into what is shared with the host, and has no capability', async () => {
    const status = pod.exec('grep', '^Cap', '/proc/self/status');
    assert.equal(await status.ended(), 0, status.stderr());
    // The bounding set included; nothing is inherited or can be gained.
    assert.match(status.stdout(), /^(Cap\w+:\t0{16}\n){5}$/);
    for (const [folder, code] of [
      ['/', 1],
      ['/tmp', 1],
      ['/etc/host-upgrades', 1],
      ['/var/log', 1],
      ['/run/host-upgrades', 0],
      ['/var/lib/host-upgrades', 0],
    ] as const) {
      const touched = pod.exec('touch', `${folder}/touched`);
      assert.equal(await touched.ended(), code, `${folder}: ${touched.stderr()}`);
    }
  });

  test('in a pod without what it needs it ends with 2 and one line', async () => {
    const refused = pod.run(ONCE, { KUBE_NODE: 'worker-1' });
    assert.equal(await refused.ended(), 2);
    assert.equal(
      refused.stderr(),
      "host-upgrades: no Node worker-1: set --kube-node to the pod's spec.nodeName, which the host's name need not be\n",
    );
  });

  test('trap 51: without a capability, on a read-only root, it upgrades its host and hands the lock on', async () => {
    offer(host.root, 'hu-plain');
    const run = pod.run(ONCE);
    assert.equal(await run.ended(), 0, run.stdout() + run.stderr());
    assert.equal(run.stderr(), '');
    assert.equal(host.version('hu-plain'), '2.0');
    const lines = run.stdout().trim().split('\n');
    const messages = lines.map((line) => JSON.parse(line).msg).join('\n');
    assert.match(messages, /^Acquiring kube lock\.{3}$.*^Running host upgrades\.{3}$.*^Done$/ms);
    const { body } = await cluster.request(daemonSetPath('host-upgrades'));
    assert.equal(body.metadata.annotations[LOCK_ANNOTATION], undefined);
    const { body: node } = await cluster.request(`/api/v1/nodes/${NODE}`);
    const [condition] = node.status.conditions;
    assert.deepEqual([condition.type, condition.reason], ['HostUpgrades', 'UpToDate']);
    // What it writes is on the host, for the next pod.
    assert.ok(existsSync(join(host.root, 'var/lib/host-upgrades/journal.ndjson')));
    assert.match(host.exec('ls', '/run/host-upgrades'), /^host-upgrades\.sh$/m);
  });

  test('its journalctl reads the journal of the host, and what was upgraded there', async () => {
    const read = pod.exec('journalctl', '--directory=/var/log/journal', '--unit=host-upgrades');
    assert.equal(await read.ended(), 0, read.stderr());
    assert.match(read.stdout(), /Finished host-upgrades\.service/);
  });

  test('waiting for its next run it says so to the probes, within the memory that it asks for', async () => {
    const port = await freePort();
    const args = (container().args ?? []).filter((arg) => !arg.startsWith('--health-port'));
    const run = pod.run([...args, `--health-port=${port}`]);
    const probe = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await poll(async () => (await probe('/readyz')).status === 200, 30_000);
    const words = await (await probe('/healthz')).text();
    assert.match(words, /^waiting for the next run at \d{4}-\d\d-\d\dT03:00:00Z\n$/);
    const residentMb = run.residentMb();
    const asked = Number(/^(\d+)Mi$/.exec(container().resources?.requests?.memory ?? '')?.[1]);
    run.kill('SIGTERM');
    assert.equal(await run.ended(), 0);
    assert.ok(residentMb > 40 && residentMb < asked, `${residentMb} MB of ${asked}`);
    const bareMb = await bareNodeMb();
    assert.ok(residentMb <= RESIDENT_MAX * bareMb, `${residentMb} MB; bare Node ${bareMb} MB`);
  });

  test('it reboots its host over logind, and the next pod finishes what it began', async () => {
    offer(host.root, 'hu-reboot');
    const before = host.bootId();
    const run = pod.run(ONCE);
    await host.rebooted(1);
    await run.ended();
    assert.notEqual(host.bootId(), before);
    const cordoned = await cluster.request(`/api/v1/nodes/${NODE}`);
    assert.equal(cordoned.body.spec.unschedulable, true, run.stdout() + run.stderr());
    const next = pod.run(ONCE);
    assert.equal(await next.ended(), 0, next.stdout() + next.stderr());
    const { body } = await cluster.request(`/api/v1/nodes/${NODE}`);
    assert.equal(body.spec.unschedulable, undefined);
    const rebooted = body.status.conditions.find(
      ({ type }: { type: string }) => type === 'HostUpgradesReboot',
    );
    assert.deepEqual([rebooted.status, rebooted.reason], ['False', 'Rebooted']);
    const { body: daemonSet } = await cluster.request(daemonSetPath('host-upgrades'));
    assert.equal(daemonSet.metadata.annotations[LOCK_ANNOTATION], undefined);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await once(server.close(), 'close');
  return port;
}
