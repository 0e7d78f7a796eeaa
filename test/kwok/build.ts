import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInto, cachePath } from '../cache.ts';
import { notBuilt } from '../requires.ts';

const HERE = import.meta.dirname;
const MODULE = 'sigs.k8s.io/kwok';
/** How nodes and pods get on: files of the module, as kwok's own releases apply them. */
const STAGES = [
  'node/fast/node-initialize',
  'node/heartbeat-with-lease/node-heartbeat-with-lease',
  'pod/fast/pod-ready',
  'pod/fast/pod-complete',
  'pod/fast/pod-delete',
];

/** The program that stands in for kubelets, and what it makes of nodes and pods. */
export interface Kwok {
  program: string;
  stages: string[];
}

/** Why kwok cannot be run here, or '' where it can (perhaps after a build). */
export function missing(): string {
  const failed = process.env[notBuilt('kwok')];
  if (failed) return failed;
  if (existsSync(folder())) return '';
  return spawnSync('go', ['version']).status === 0 ? '' : 'Go is not there';
}

/** Builds it where it is missing (minutes when cold). */
export function kwok(): Kwok {
  const path = folder();
  if (!existsSync(path)) buildInto(path, build);
  return { program: join(path, 'kwok'), stages: STAGES.map((stage) => stageFile(path, stage)) };
}

function folder(): string {
  const sources = ['build.ts', 'go.mod', 'go.sum'].map((name) => readFileSync(join(HERE, name)));
  return cachePath('kwok', ...sources);
}

function build(path: string): void {
  process.stderr.write('building kwok (once, into the cache)...\n');
  go(['build', '-trimpath', '-ldflags', '-s -w', '-o', join(path, 'kwok'), `${MODULE}/cmd/kwok`]);
  const module = go(['list', '-m', '-f', '{{.Dir}}', MODULE]).trim();
  for (const stage of STAGES) {
    copyFileSync(join(module, 'kustomize/stage', `${stage}.yaml`), stageFile(path, stage));
  }
}

function stageFile(path: string, stage: string): string {
  return join(path, `${stage.replaceAll('/', '-')}.yaml`);
}

function go(args: string[]): string {
  const env = { ...process.env, CGO_ENABLED: '0' };
  return execFileSync('go', args, {
    cwd: HERE,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
}
