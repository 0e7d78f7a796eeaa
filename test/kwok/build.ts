import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInto, cachePath } from '../cache.ts';
import { notBuilt } from '../requires.ts';

const HERE = import.meta.dirname;
const MODULE = 'sigs.k8s.io/kwok';
/**
 * How nodes and pods get on, as kwok's own releases have it, and how long each step takes, ms. Pods
 * need a moment to come up and to end: where they need none, no budget is ever used up.
 */
const STAGES = {
  'node/fast/node-initialize': 0,
  'node/heartbeat-with-lease/node-heartbeat-with-lease': 0,
  'pod/fast/pod-ready': 1_000,
  'pod/fast/pod-complete': 0,
  'pod/fast/pod-delete': 500,
};

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
  return {
    program: join(path, 'kwok'),
    stages: Object.keys(STAGES).map((stage) => stageFile(path, stage)),
  };
}

function folder(): string {
  const sources = ['build.ts', 'go.mod', 'go.sum'].map((name) => readFileSync(join(HERE, name)));
  return cachePath('kwok', ...sources);
}

function build(path: string): void {
  process.stderr.write('building kwok (once, into the cache)...\n');
  go(['build', '-trimpath', '-ldflags', '-s -w', '-o', join(path, 'kwok'), `${MODULE}/cmd/kwok`]);
  const module = go(['list', '-m', '-f', '{{.Dir}}', MODULE]).trim();
  for (const [stage, delayMs] of Object.entries(STAGES)) {
    const text = readFileSync(join(module, 'kustomize/stage', `${stage}.yaml`), 'utf8');
    writeFileSync(stageFile(path, stage), delayMs === 0 ? text : delayed(text, delayMs));
  }
}

/** A stage of its module with a delay, where it has none. */
function delayed(text: string, delayMs: number): string {
  const delay = `  delay:\n    durationMilliseconds: ${delayMs}\n`;
  const [head, tail, ...rest] = text.split(/^ {2}next:\n/m);
  if (tail === undefined || rest.length > 0 || /^ {2}delay:/m.test(text)) {
    throw new Error(`a stage of another form:\n${text}`);
  }
  return `${head}${delay}  next:\n${tail}`;
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
