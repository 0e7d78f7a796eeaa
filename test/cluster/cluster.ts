import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { program } from './build.ts';

const TOKEN = 'test-admin-token';

/** A real etcd and kube-apiserver on loopback. */
export interface Cluster {
  url: string;
  token: string;
  /** The path of a kubeconfig for the administrator. */
  kubeconfig: string;
  /** Adds users to the token file; they hold once the API server is started again. */
  addUser(name: string): Promise<string>;
  /** Stops the API server's process without closing its connections, and lets it go on. */
  pause(): void;
  resume(): void;
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /** A request as the administrator. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  /** Compacts etcd and starts the API server again, so that old versions are gone. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

export interface RequestInit {
  method?: string;
  body?: unknown;
  /** The content type of the body. */
  type?: string;
  /** Another token than the administrator's. */
  token?: string;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an API object of any kind, for tests to look into
  body: any;
}

/** Starts a control plane on free loopback ports; it is up when this resolves. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const [etcdPort, peerPort, apiPort] = await freePorts(3);
  const url = `https://127.0.0.1:${apiPort}`;
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const tokens = [`${TOKEN},admin,admin,system:masters`];
  const tokenFile = join(folder, 'tokens.csv');
  const keyFile = join(folder, 'service-account.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const writeTokens = () => writeFileSync(tokenFile, tokens.map((row) => `${row}\n`).join(''));
  writeTokens();

  const etcd = start(folder, 'etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
    '--unsafe-no-fsync',
  ]);
  const startApi = () =>
    start(folder, 'kube-apiserver', [
      `--etcd-servers=${etcdUrl}`,
      `--secure-port=${apiPort}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--cert-dir=${join(folder, 'certificates')}`,
      `--token-auth-file=${tokenFile}`,
      '--authorization-mode=RBAC',
      '--allow-privileged',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${keyFile}`,
      `--service-account-signing-key-file=${keyFile}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--disable-admission-plugins=ServiceAccount',
    ]);
  let api = startApi();
  const certificate = () => readFileSync(join(folder, 'certificates', 'apiserver.crt'), 'utf8');
  let agent = new Agent();
  const request: Cluster['request'] = async (path, init = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: init.method ?? 'GET',
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${init.token ?? TOKEN}`,
        ...(init.body === undefined ? {} : { 'content-type': init.type ?? 'application/json' }),
      },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  const ready = async () => {
    const isReady = async () => {
      assertRunning(api, folder);
      // The server makes its own certificate when it first starts.
      await agent.destroy();
      agent = new Agent({ connect: { ca: certificate() } });
      return (await request('/readyz')).status === 200;
    };
    await poll(isReady, 60_000);
  };

  const cluster: Cluster = {
    url,
    token: TOKEN,
    kubeconfig: join(folder, 'kubeconfig'),
    request,
    async addUser(name) {
      tokens.push(`${name}-token,${name},${name}`);
      writeTokens();
      await cluster.stopApiServer();
      await cluster.startApiServer();
      return `${name}-token`;
    },
    pause: () => api.kill('SIGSTOP'),
    resume: () => api.kill('SIGCONT'),
    stopApiServer: () => end(api),
    async startApiServer() {
      api = startApi();
      await ready();
    },
    async compact() {
      await cluster.stopApiServer();
      await cluster.startApiServer();
    },
    async stop() {
      await agent.destroy();
      await end(api);
      await end(etcd);
      rmSync(folder, { recursive: true });
    },
  };
  process.once('exit', () => {
    api.kill('SIGKILL');
    etcd.kill('SIGKILL');
  });
  try {
    await ready();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  writeFileSync(cluster.kubeconfig, kubeconfig(url, certificate(), TOKEN));
  return cluster;
}

/** A kubeconfig (JSON is YAML) for one user with a bearer token. */
export function kubeconfig(url: string, ca: string | null, token: string): string {
  // Without a certificate it is plain HTTP, which the client only speaks when told so.
  const trust =
    ca === null
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: { server: url, ...trust },
      },
    ],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}

function start(folder: string, name: 'etcd' | 'kube-apiserver', args: string[]): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(program(name), args, { stdio: ['ignore', log, log] });
  closeSync(log);
  return child;
}

function assertRunning(child: ChildProcess, folder: string): void {
  if (child.exitCode === null && child.signalCode === null) return;
  const log = readFileSync(join(folder, 'kube-apiserver.log'), 'utf8');
  throw new Error(`kube-apiserver ended:\n${log.slice(-2_000)}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Asks until the answer is yes; a refused connection is a no. Bounded. */
export async function poll(ask: () => Promise<boolean>, limitMs: number): Promise<void> {
  const giveUpAtMs = Date.now() + limitMs;
  for (;;) {
    try {
      if (await ask()) return;
    } catch (error) {
      if (Date.now() > giveUpAtMs) throw error;
    }
    if (Date.now() > giveUpAtMs) throw new Error(`not so after ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
