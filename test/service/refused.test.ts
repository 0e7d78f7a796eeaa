import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { missing as missingCluster } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { type Host, startHost } from '../hosts/host.ts';
import { missing as missingHost } from '../hosts/image.ts';
import { CONFIG, writeConfig } from '../hosts/program.ts';
import { starts } from '../hosts/unit.ts';
import { requires } from '../requires.ts';
import { createProgramNode, type Node } from './program.ts';

const needed = requires('control plane and real hosts', missingCluster() || missingHost());

describe('what the program refuses on a real API server and a real host', needed, () => {
  let cluster: Cluster;
  let host: Host;
  let node: Node;
  let folder = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'refused-'));
    [cluster, host] = await Promise.all([startCluster(), startHost()]);
    writeConfig(host, CONFIG);
    writeFileSync(join(folder, 'file'), '');
    node = await createProgramNode(cluster, host, 'refused', { [LOCK_ANNOTATION]: 'refused' });
  });
  after(async () => {
    node?.remove();
    await host?.stop();
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  });

  const kubeconfigWith = (token: string) => {
    const path = join(folder, token);
    const text = readFileSync(cluster.kubeconfig, 'utf8');
    writeFileSync(path, text.replace(cluster.token, token));
    return path;
  };

  const CASES: [string, () => Promise<string[]>, RegExp][] = [
    [
      'a missing DaemonSet',
      async () => ['--kube-daemonset=nowhere'],
      /no DaemonSet nowhere in namespace kube-system, .*set --kube-namespace and --kube-daemonset/,
    ],
    [
      'a missing Node',
      async () => ['--kube-node=nobody'],
      /no Node nobody: set --kube-node to the pod's spec.nodeName/,
    ],
    [
      'a token that is not known (401)',
      async () => [`--kubeconfig=${kubeconfigWith('unknown')}`],
      /refused the credentials \(401 Unauthorized\): renew /,
    ],
    [
      'a user without permissions (403)',
      async () => [`--kubeconfig=${kubeconfigWith(await cluster.addUser('nobody'))}`],
      /lacks permissions: grant .*daemonsets.*nodes/,
    ],
    [
      'a state path that cannot be written',
      async () => [`--state-path=${folder}/file/state`],
      /--state-path=.*\/file\/state: cannot be written \(ENOTDIR\)/,
    ],
    [
      'a host mount that cannot be written',
      async () => [`--host-mount=${folder}/file`],
      /--host-mount=.*\/file: /,
    ],
  ];
  for (const [name, flags, expected] of CASES) {
    test(`${name} is one line and exit 2, and nothing was changed`, async () => {
      const program = node.start(...(await flags()));
      assert.equal(await program.ended(), 2, program.output());
      const last = program.output().trimEnd().split('\n').at(-1) ?? '';
      assert.match(last, expected);
      assert.match(last, /^host-upgrades: /);
      assert.doesNotMatch(program.output(), /Running|Releas|\n {4}at /);
      assert.equal(await node.lock(), 'refused');
      assert.equal(await node.condition('HostUpgrades'), undefined);
      assert.equal(starts(host), 0);
      assert.deepEqual(readdirSync(host.mount), []);
    });
  }

  test('a second one of the same node is one line and exit 2', async () => {
    const first = node.start('--schedule=0 0 1 1 *');
    await first.says(/first upgrade at/);
    const second = node.start();
    assert.equal(await second.ended(), 2);
    assert.match(
      second.output(),
      /\nhost-upgrades: --state-path=\S+: another host-upgrades is running with it; stop that one first\n$/,
    );
    // What a killed one left is in nobody's way.
    first.child.kill('SIGKILL');
    await first.ended();
    const third = node.start('--schedule=0 0 1 1 *');
    await third.says(/first upgrade at/);
    third.child.kill('SIGTERM');
    assert.equal(await third.ended(), 0);
  });
});
