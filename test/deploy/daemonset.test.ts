import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { V1Volume } from '@kubernetes/client-node';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { parseFlags, RUN_FLAGS } from '../../src/cli/flags.ts';
import { runOptions } from '../../src/cli/options.ts';
import { SYSTEM_BUS } from '../../src/host/bus.ts';
import { STOP_GRACE_MS } from '../../src/service/service.ts';
import { configMap, container, daemonSet, podSpec, ROOT } from './manifests.ts';

const mounts = () => container().volumeMounts ?? [];
const defaultOf = (name: string) => RUN_FLAGS.find((flag) => flag.name === name)?.default;

/** The flags of the container by name; a flag without a value is ''. */
function args(): Map<string, string> {
  const parts = (container().args ?? []).map((arg) => /^--([^=]+)=?(.*)$/.exec(arg) ?? []);
  return new Map(parts.map(([, name = '', value = '']) => [name, value]));
}

function volumeOf(mountPath: string): V1Volume {
  const mount = mounts().find((known) => known.mountPath === mountPath);
  const volume = podSpec().volumes?.find(({ name }) => name === mount?.name);
  assert.ok(volume, `nothing is mounted at ${mountPath}`);
  return volume;
}

test('nothing is privileged, and nothing of the node is shared but its bus and four directories', () => {
  const { securityContext } = container();
  assert.deepEqual(securityContext, {
    runAsUser: 0,
    privileged: false,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
    appArmorProfile: { type: 'Unconfined' },
    seLinuxOptions: { type: 'spc_t' },
  });
  const { hostNetwork, hostPID, hostIPC, hostUsers, initContainers } = podSpec();
  const shared = { hostNetwork, hostPID, hostIPC, hostUsers, initContainers };
  assert.deepEqual(
    Object.values(shared).filter((value) => value !== undefined),
    [],
  );
});

test('each mount is one that the program uses, where it looks for it', () => {
  const used = new Map([
    [defaultOf('config-path'), 'read'],
    [SYSTEM_BUS.replace(/^unix:path=(.*)\/[^/]+$/, '$1'), 'read'],
    [defaultOf('host-mount'), 'write'],
    [defaultOf('state-path'), 'write'],
    ['/run/log', 'read'],
    ['/var/log', 'read'],
  ]);
  const mounted = mounts().map(
    ({ mountPath, readOnly }) => [mountPath, readOnly ? 'read' : 'write'] as const,
  );
  assert.deepEqual(new Map(mounted), used);
  assert.equal(podSpec().volumes?.length, used.size);
  for (const name of ['config-path', 'host-mount', 'state-path']) assert.ok(!args().has(name));
});

test('the host sees what is shared with it under the same path', () => {
  for (const { mountPath } of mounts()) {
    const { hostPath, configMap: config } = volumeOf(mountPath);
    if (config) continue;
    assert.equal(hostPath?.path, mountPath);
    // A check of none lets the runtime make what is missing, and a /var/log/journal made so
    // changes where journald writes.
    assert.match(hostPath?.type ?? '', /^Directory(OrCreate)?$/);
    assert.doesNotMatch(mountPath, /\/log\/journal/);
  }
});

test('trap 49: the configuration is mounted as a directory, never by subPath', () => {
  for (const mount of mounts()) {
    assert.equal(mount.subPath, undefined);
    assert.equal(mount.subPathExpr, undefined);
  }
  assert.equal(volumeOf('/etc/host-upgrades').configMap?.name, configMap().metadata?.name);
  assert.ok(configMap().data?.['unattended-upgrades.conf']);
});

test('trap 22: it stays on a node with any taint, also one that came while the node was down', () => {
  const { tolerations = [], priorityClassName } = podSpec();
  assert.deepEqual(tolerations, [
    { operator: 'Exists', effect: 'NoSchedule' },
    { operator: 'Exists', effect: 'NoExecute' },
  ]);
  assert.equal(priorityClassName, 'system-node-critical');
});

test('trap 25: the Node has the name that Kubernetes gave it, and the lock that of the DaemonSet', () => {
  const env = new Map(
    (container().env ?? []).map(({ name, value, valueFrom }) => [
      name,
      value ?? valueFrom?.fieldRef?.fieldPath,
    ]),
  );
  assert.equal(env.get('KUBE_NODE'), 'spec.nodeName');
  assert.equal(env.get('KUBE_NAMESPACE'), 'metadata.namespace');
  assert.equal(env.get('KUBE_DAEMONSET'), daemonSet().metadata?.name);
  for (const name of args().keys()) assert.doesNotMatch(name, /^kube-/);
});

test('trap 51: nothing is written but into the two paths that are shared with the host', () => {
  assert.equal(container().securityContext?.readOnlyRootFilesystem, true);
  const writable = mounts().filter(({ readOnly }) => readOnly !== true);
  assert.deepEqual(
    writable.map(({ mountPath }) => mountPath),
    [defaultOf('host-mount'), defaultOf('state-path')],
  );
  for (const { mountPath } of writable) {
    assert.equal(volumeOf(mountPath).hostPath?.type, 'DirectoryOrCreate');
  }
});

test('its flags are ones that the program takes, and ask for a run of all it can do', () => {
  const env = { KUBE_NAMESPACE: 'kube-system', KUBE_DAEMONSET: 'host-upgrades', KUBE_NODE: 'n' };
  const options = runOptions(parseFlags(container().args ?? [], env), env);
  assert.equal(options.schedule?.text, '0 3 * * *');
  assert.equal(options.logFormat, 'json');
  assert.deepEqual([options.disruption.reboot, options.disruption.drain], [true, true]);
});

test('what is applied takes no lock away', () => {
  const texts = JSON.stringify([daemonSet().metadata, daemonSet().spec?.template.metadata]);
  assert.doesNotMatch(texts, new RegExp(LOCK_ANNOTATION));
  assert.deepEqual(daemonSet().spec?.selector.matchLabels, { app: 'host-upgrades' });
});

test('the probes ask where the program listens, and it has the time to end', () => {
  const { ports = [], startupProbe, livenessProbe, readinessProbe } = container();
  assert.deepEqual(
    ports.map(({ name, containerPort }) => [name, `${containerPort}`]),
    [['health', args().get('health-port')]],
  );
  const asked = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
  const at = (path: string) => ({ path, port: 'health' });
  assert.deepEqual(asked, [at('/healthz'), at('/healthz'), at('/readyz')]);
  const { terminationGracePeriodSeconds = 0 } = podSpec();
  assert.ok(terminationGracePeriodSeconds * 1_000 >= 2 * STOP_GRACE_MS);
});

test('memory is asked for and bounded, the CPU is asked for', () => {
  const { requests, limits } = container().resources ?? {};
  assert.deepEqual([requests, limits], [{ cpu: '10m', memory: '128Mi' }, { memory: '256Mi' }]);
  assert.deepEqual(daemonSet().spec?.updateStrategy, {
    type: 'RollingUpdate',
    rollingUpdate: { maxUnavailable: 1 },
  });
});

test('the image is the one of this version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.equal(container().image, `host-upgrades:${version}`);
});
