import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { program } from './build.ts';
import { startProcess } from './process.ts';

const TOKEN = 'test-admin-token';

/** A real etcd and kube-apiserver on loopback. */
export interface Cluster {
  url: string;
  token: string;
  /** The path of a kubeconfig for the administrator. */
  kubeconfig: string;
  files: ClusterFiles;
  etcdUrl: string;
  /** Adds users to the token file; they hold once the API server is started again. */
  addUser(name: string): Promise<string>;
  /** Stops the API server's process without closing its connections, and lets it go on. */
  pause(): void;
  resume(): void;
  stopApiServer(signal?: NodeJS.Signals): Promise<void>;
  /** Of the API server's process; throws where it does not run. */
  apiServerPid(): number;
  startApiServer(): Promise<void>;
  /** A request as the administrator. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  /** Compacts etcd and starts the API server again, so that old versions are gone. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

/** What programs around the API server need of its folder. */
export interface ClusterFiles {
  folder: string;
  /** What clients verify the server with. */
  ca: string;
  serviceAccountKey: string;
  /** The requests of the audited user, a line each. */
  audit: string;
}

export interface ClusterOptions {
  /** Controllers will run on it: pods must then have the service account that they name. */
  hasControllers?: boolean;
  /** etcd holds objects as JSON, so that its history can be read (recorder.ts). */
  isRecorded?: boolean;
  /** The user whose requests are written to the audit log. */
  auditedUser?: string;
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
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const [etcdPort, peerPort, apiPort] = await freePorts(3);
  const url = `https://127.0.0.1:${apiPort}`;
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const tokens = [`${TOKEN},admin,admin,system:masters`];
  const tokenFile = join(folder, 'tokens.csv');
  const files: ClusterFiles = {
    folder,
    ca: join(folder, 'certificates', 'apiserver.crt'),
    serviceAccountKey: join(folder, 'service-account.key'),
    audit: join(folder, 'audit.log'),
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(files.serviceAccountKey, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const writeTokens = () => writeFileSync(tokenFile, tokens.map((row) => `${row}\n`).join(''));
  writeTokens();

  const etcd = startProcess(folder, 'etcd', program('etcd'), [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
    '--unsafe-no-fsync',
  ]);
  const startApi = () =>
    startProcess(folder, 'kube-apiserver', program('kube-apiserver'), [
      `--etcd-servers=${etcdUrl}`,
      `--secure-port=${apiPort}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--cert-dir=${join(folder, 'certificates')}`,
      `--token-auth-file=${tokenFile}`,
      '--authorization-mode=RBAC',
      '--allow-privileged',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${files.serviceAccountKey}`,
      `--service-account-signing-key-file=${files.serviceAccountKey}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      ...optionalFlags(options, files),
    ]);
  let api = startApi();
  const certificate = () => readFileSync(files.ca, 'utf8');
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
      api.assertRunning();
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
    files,
    etcdUrl,
    request,
    async addUser(name) {
      tokens.push(`${name}-token,${name},${name}`);
      writeTokens();
      await cluster.stopApiServer();
      await cluster.startApiServer();
      return `${name}-token`;
    },
    pause: () => api.child.kill('SIGSTOP'),
    resume: () => api.child.kill('SIGCONT'),
    stopApiServer: (signal) => api.kill(signal),
    apiServerPid() {
      api.assertRunning();
      return api.child.pid as number;
    },
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
      await api.kill();
      await etcd.kill();
      rmSync(folder, { recursive: true });
    },
  };
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

function optionalFlags(options: ClusterOptions, files: ClusterFiles): string[] {
  const flags: string[] = [];
  if (!options.hasControllers) flags.push('--disable-admission-plugins=ServiceAccount');
  if (options.isRecorded) flags.push('--storage-media-type=application/json');
  if (options.auditedUser !== undefined) {
    const policy = join(files.folder, 'audit-policy.json');
    writeFileSync(policy, JSON.stringify(auditPolicy(options.auditedUser)));
    flags.push(`--audit-policy-file=${policy}`, `--audit-log-path=${files.audit}`);
  }
  return flags;
}

/** One user's requests, without their bodies. */
function auditPolicy(user: string) {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Metadata', users: [user] }, { level: 'None' }],
  };
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

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
