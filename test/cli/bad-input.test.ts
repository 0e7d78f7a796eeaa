import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../src/host-upgrades', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bad-input-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'file'), 'not a kubeconfig: [');
const KUBE = ['--kube-namespace=kube-system', '--kube-daemonset=x', '--kube-node=n'];

/** Arguments, environment, and the one line on standard error. Nothing of a cluster or host is needed. */
const BAD: [string, string[], NodeJS.ProcessEnv, RegExp][] = [
  ['an unknown flag', ['--shedule=x'], {}, /unknown flag --shedule \(did you mean --schedule\?\)/],
  ['an unknown command', ['upgrade'], {}, /unknown command upgrade; see host-upgrades --help/],
  ['an argument of run', ['run', 'now'], {}, /unexpected argument now; flags begin with --/],
  ['a bad cron', ['--schedule=61 * * * *'], {}, /--schedule=61 \* \* \* \*: .*minute/],
  ['a cron of two fields', ['--schedule=1 2'], {}, /--schedule=1 2: .*five|5/],
  ['a bad @every', ['--schedule=@every soon'], {}, /--schedule=@every soon: .*soon/],
  ['a bad duration', ['--schedule-window=1 hour'], {}, /--schedule-window=1 hour: /],
  ['a negative duration', ['--schedule-window=-1h'], {}, /--schedule-window=-1h: is negative/],
  ['a window of a month', ['--schedule-window=720h'], {}, /--schedule-window=720h: is too long/],
  ['a bad timeout', ['--reboot-timeout=x'], {}, /--reboot-timeout=x: /],
  [
    'a selector without a name',
    ['--drain-pod-selector=/=x'],
    {},
    /--drain-pod-selector=\/=x: give a label selector such as app=web/,
  ],
  [
    'a grace period of years',
    ['--drain-grace-period=99999999'],
    {},
    /--drain-grace-period=99999999s: is too long/,
  ],
  ['a bad format', ['--log-format=xml'], {}, /--log-format=xml: give auto, pretty, json, classic/],
  ['a bad level', ['--log-level=loud'], {}, /--log-level=loud: give debug, info, warn, error/],
  ['a bad boolean', ['--reboot=perhaps'], {}, /--reboot=perhaps: give true or false/],
  ['an unknown time zone', [], { TZ: 'Europe/Berln' }, /TZ "Europe\/Berln" is not known/],
  [
    'half of the variables',
    [],
    { KUBE_NODE: 'n', KUBE_NAMESPACE: 'kube-system' },
    /--kube-daemonset \(KUBE_DAEMONSET\) not set; give all three/,
  ],
  ['half of the flags', KUBE.slice(0, 1), {}, /--kube-daemonset .* and --kube-node .* not set/],
  ['a kubeconfig without a lock', ['--kubeconfig=x'], {}, /--kubeconfig is given without a lock/],
  ['no way to the cluster', KUBE, {}, /neither --kubeconfig nor KUBECONFIG is set/],
  [
    'a missing kubeconfig',
    [...KUBE, '--kubeconfig=/nowhere/config'],
    {},
    /--kubeconfig=\/nowhere\/config: /,
  ],
  ['a kubeconfig that is none', [...KUBE, `--kubeconfig=${folder}/file`], {}, /not a kubeconfig/],
  ['a missing configuration', ['--config-path=/nowhere'], {}, /--config-path=\/nowhere: /],
  [
    'no system bus',
    [],
    { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nowhere/bus' },
    /no system bus at unix:path=\/nowhere\/bus: .*ENOENT.*mount the host's \/var\/run\/dbus/,
  ],
];

for (const [name, args, env, expected] of BAD) {
  test(`${name} is one line and exit 2`, () => {
    const { PATH } = process.env;
    const { status, stdout, stderr } = spawnSync(BIN, args, {
      encoding: 'utf8',
      env: { PATH, TZ: 'UTC', ...env },
      timeout: 60_000,
    });
    assert.match(stderr, expected);
    assert.match(stderr, /^host-upgrades: .*\n$/);
    assert.equal(status, 2);
    assert.doesNotMatch(stdout, /Acquiring|Running/);
  });
}

test('--help groups the flags and shows defaults and variables', () => {
  const { status, stdout } = spawnSync(BIN, ['--help'], { encoding: 'utf8' });
  assert.equal(status, 0);
  assert.match(stdout, /\n {2}--schedule-window=DURATION\n {6}how .* \(default 1h\)\n/);
  assert.match(stdout, /\n {2}--kube-node=NAME\n {6}.*\(variable KUBE_NODE\)\n/);
  assert.match(stdout, / When:\n[\s\S]* Host:\n[\s\S]* Kubernetes [\s\S]* Log and state:\n/);
  assert.equal(spawnSync(BIN, ['run', '--help'], { encoding: 'utf8' }).stdout, stdout);
  assert.ok(stdout.split('\n').every((row) => row.length <= 100));
});
