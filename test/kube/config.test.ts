import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { KubeConfigError, loadKubeConfig } from '../../src/kube/config.ts';
import { kubeconfig } from '../cluster/cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
after(() => rmSync(folder, { recursive: true }));

const GOOD = {
  clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
};

let count = 0;
function write(text: string): string {
  count += 1;
  const path = join(folder, `config-${count}`);
  writeFileSync(path, text);
  return path;
}
const variant = (change: Record<string, unknown>) => write(JSON.stringify({ ...GOOD, ...change }));
const cluster = (fields: object) => ({ clusters: [{ name: 'c', cluster: fields }] });
const user = (fields: object) => ({ users: [{ name: 'u', user: fields }] });

const server = 'https://10.0.0.1';
const BAD: [string, () => string, RegExp][] = [
  ['no such file', () => join(folder, 'nowhere'), /nowhere: there is no such file$/],
  ['a directory', () => mkdir('directory'), /directory: cannot be read \(EISDIR: /],
  ['an empty file', () => write(' \n'), /the file is empty$/],
  ['not YAML', () => write('{{{\n: - x'), /not a kubeconfig \(.+\)$/],
  ['only a text', () => write('hello'), /no current-context; set one with kubectl/],
  ['only a number', () => write('7'), /no current-context/],
  ['nothing', () => write('null'), /: not a kubeconfig$/],
  ['no current-context', () => variant({ 'current-context': '' }), /no current-context/],
  ['an unknown context', () => variant({ 'current-context': 'y' }), /no context "y"/],
  ['no cluster', () => variant({ clusters: [] }), /no cluster "c", which context "x" names$/],
  ['no user', () => variant({ users: [] }), /no user "u", which context "x" names$/],
  ['a cluster without a server', () => variant(cluster({})), /cluster.server is missing/],
  ['no address', () => variant(cluster({ server: 'master' })), /server "master" is not an https:/],
  [
    'not encrypted',
    () => variant(cluster({ server: 'http://m' })),
    /insecure-skip-tls-verify: true$/,
  ],
  [
    'a CA that is not there',
    () => variant(cluster({ server, 'certificate-authority': 'ca.crt' })),
    /there is no file .*\/ca\.crt, which it names$/,
  ],
  [
    'a client key that is not there',
    () => variant(user({ 'client-key': '/none.key' })),
    /there is no file \/none\.key, which it names$/,
  ],
  ['a list of files', () => `${write('')}:${write('')}`, /a list of files; name one/],
];

function mkdir(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

describe('a kubeconfig that is not one is one line that names the file', () => {
  for (const [name, path, expected] of BAD) {
    test(name, async () => {
      const given = path();
      for (const load of [
        () => loadKubeConfig(given, {}),
        () => loadKubeConfig('', { KUBECONFIG: given }),
      ]) {
        await assert.rejects(load, (error: Error) => {
          assert.ok(error instanceof KubeConfigError, error.stack);
          assert.match(error.message, expected);
          assert.match(error.message, /^(--kubeconfig|KUBECONFIG)=\//);
          assert.doesNotMatch(error.message, /\n/);
          return true;
        });
      }
    });
  }

  test('a token file, which the library would leave out', async () => {
    const yaml = JSON.stringify({ ...GOOD, ...user({}) }).replace(
      '"user":{}',
      '"user":{\n      tokenFile: /var/run/token\n}',
    );
    await assert.rejects(() => loadKubeConfig(write(yaml), {}), /user "u" has a tokenFile/);
  });

  test('nowhere to look', async () => {
    await assert.rejects(
      () => loadKubeConfig('', {}),
      /^Error: no way to the cluster: not in a pod/,
    );
  });
});

test('a kubeconfig is found by flag, and only then by KUBECONFIG', async () => {
  const mine = write(kubeconfig('https://mine', 'x', 't'));
  const other = write(kubeconfig('https://other', 'x', 't'));
  const serverOf = async (path: string, env: NodeJS.ProcessEnv) =>
    (await loadKubeConfig(path, env)).getCurrentCluster()?.server;
  assert.equal(await serverOf(mine, { KUBECONFIG: other }), 'https://mine');
  assert.equal(await serverOf('', { KUBECONFIG: other }), 'https://other');
  const pod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
  assert.equal(await serverOf('', { ...pod, KUBECONFIG: other }), 'https://10.96.0.1:443');
  assert.equal(await serverOf(mine, pod), 'https://mine');
});

test('files that a kubeconfig names are looked for beside it', async () => {
  writeFileSync(join(folder, 'beside.crt'), '');
  const path = variant(cluster({ server, 'certificate-authority': 'beside.crt' }));
  assert.equal(
    (await loadKubeConfig(path, {})).getCurrentCluster()?.caFile,
    join(folder, 'beside.crt'),
  );
});
