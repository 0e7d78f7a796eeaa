import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { buildInto, cachePath } from '../cache.ts';
import { baseImage, missing as missingHosts } from '../hosts/image.ts';
import { installPackages } from '../packages.ts';
import { notBuilt } from '../requires.ts';

/** What the Dockerfile begins from. */
export const BASE_NAME = 'docker.io/library/node:24-bookworm-slim';
const MIRROR = 'deb http://deb.debian.org/debian bookworm main\n';
/** What a host of the tests has beyond a bare Debian: journalctl, and what only it needs. */
const SURPLUS = ['systemd', 'systemd-sysv', 'dbus', 'libip4tc2', 'libkmod2', 'libssl3'];

/** Why images cannot be built here, or '' where they can (perhaps after an installation). */
export function missing(): string {
  const failed = process.env[notBuilt('images')];
  if (failed) return failed;
  const hosts = missingHosts();
  if (hosts !== '') return hosts;
  return findNpm() === null ? 'no npm' : '';
}

/**
 * The folder of an image store (buildah's --root) that holds a stand-in for the base image, made
 * once: no registry of images is asked. It is a bare Debian with this Node and npm.
 */
export function standIn(): string {
  if (spawnSync('buildah', ['--version']).status !== 0) installPackages('buildah');
  const path = cachePath(
    'base-image',
    readFileSync(import.meta.filename),
    baseImage(),
    process.version,
  );
  if (!existsSync(path)) buildInto(path, (folder) => build(folder, `${folder}.tree`));
  return join(path, 'store');
}

function build(folder: string, tree: string): void {
  try {
    makeTree(tree);
    const buildah = (...args: string[]) => {
      const store = [`--root=${join(folder, 'store')}`, `--runroot=${join(folder, 'run')}`];
      const stdio = ['ignore', 'pipe', 2] as const;
      return execFileSync('buildah', [...store, ...args], { encoding: 'utf8', stdio: [...stdio] });
    };
    const container = buildah('from', 'scratch').trim();
    buildah('copy', '--quiet', container, tree, '/');
    const bin = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
    buildah('config', `--env=PATH=${bin.join(':')}`, '--cmd=node', container);
    buildah('commit', '--quiet', '--rm', container, BASE_NAME);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function makeTree(tree: string): void {
  const quiet = { stdio: ['ignore', 'ignore', 2] as ['ignore', 'ignore', 2] };
  execFileSync('cp', ['-a', baseImage(), tree], quiet);
  const purge = ['apt-get', 'purge', '--yes', '--allow-remove-essential', ...SURPLUS];
  execFileSync('chroot', [tree, ...purge], { stdio: 'pipe' });
  for (const path of ['repository', 'updates', 'etc/apt/apt.conf.d/98wait']) {
    rmSync(join(tree, path), { recursive: true });
  }
  writeFileSync(join(tree, 'etc/apt/sources.list'), MIRROR);
  const local = join(tree, 'usr/local');
  cpSync(process.execPath, join(local, 'bin/node'));
  const npm = join(local, 'lib/node_modules/npm');
  execFileSync('cp', ['-a', `${findNpm()}/.`, mkdir(npm)], quiet);
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  // This machine may trust more than Node does, to reach a registry at all.
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  const trusted = certificates === undefined ? [] : [readFileSync(certificates, 'utf8')];
  writeFileSync(
    join(mkdir(join(local, 'etc')), 'ca.crt'),
    [...rootCertificates, ...trusted].join('\n'),
  );
  writeFileSync(join(local, 'etc/npmrc'), 'cafile=/usr/local/etc/ca.crt\n');
}

function mkdir(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

/** The folder of the npm that this machine has. */
function findNpm(): string | null {
  const { status, stdout } = spawnSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], {
    encoding: 'utf8',
  });
  return status === 0 && stdout.trim() !== '' ? dirname(dirname(stdout.trim())) : null;
}
