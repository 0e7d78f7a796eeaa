import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInto, cachePath } from '../cache.ts';
import { notBuilt } from '../requires.ts';
import { optionLines } from './labels.ts';

const HERE = import.meta.dirname;
/** The search's depth, steps, and its memory, MB: more is an error, never a smaller search. */
const DEPTH_MAX = 3_000_000;
const MEMORY_MAX_MB = 4_000;
const MAIN = 'lock.pml';

export interface Configuration {
  /** As lock.pml says, without -D. */
  defines: string[];
  /** The property that has to hold in the long run; else what must never happen is looked for. */
  property?: 'free' | 'progress';
}

export interface Checked {
  /** What was violated, or '' where nothing was in any state. */
  violated: string;
  states: number;
  depth: number;
  memoryMb: number;
  seconds: number;
  /** The options that were never taken: `agent.pml:123`. */
  unreached: string[];
}

/** Why Spin cannot run here, or '' where it can (perhaps after an installation). */
export function missing(): string {
  const failed = process.env[notBuilt('model')];
  if (failed) return failed;
  if (hasTools()) return '';
  const canInstall = process.getuid?.() === 0 && hasProgram('apt-get');
  return canInstall ? '' : 'spin and gcc are not there, and only root on Debian can install them';
}

/** Installs Spin and a C compiler where they are missing. */
export function installSpin(): void {
  if (hasTools()) return;
  process.stderr.write('installing spin gcc libc6-dev...\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    execFileSync('apt-get', args, { env, stdio: ['ignore', 2, 2] });
  apt('update', '-q');
  apt('install', '-qy', '--no-install-recommends', 'spin', 'gcc', 'libc6-dev');
}

/** Searches all states of a configuration. Throws where the search was not exhaustive. */
export function check(configuration: Configuration): Checked {
  const { property } = configuration;
  const args = property === undefined ? [] : ['-a', '-f', '-N', property];
  const folder = checker(configuration);
  const { stdout } = spawnSync(join(folder, 'pan'), [`-m${DEPTH_MAX}`, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (/max search depth too small|MEMLIM|out of memory/.test(stdout)) {
    throw new Error(`not all states could be searched: ${configuration.defines.join(' ')}`);
  }
  const reached = new Set([...stdout.matchAll(/^reached (.+)$/gm)].map(([, at]) => at));
  return {
    violated: /^pan:\d+: (.+) \(at depth/m.exec(stdout)?.[1] ?? '',
    states: figure(stdout, /(\S+) states, stored/),
    depth: figure(stdout, /depth reached (\d+)/),
    memoryMb: figure(stdout, /([\d.]+)\ttotal actual memory usage/),
    seconds: figure(stdout, /elapsed time (\S+) seconds/),
    unreached: steps(configuration).filter((at) => !reached.has(at)),
  };
}

/** The options of the programs that are part of a configuration. */
function steps({ defines }: Configuration): string[] {
  const files = ['agent.pml'];
  if (defines.some((define) => /^ORIGINALS=[1-9]/.test(define))) files.push('original.pml');
  return files.flatMap((file) => optionLines(read(file)).map((line) => `${file}:${line}`));
}

/** The folder of a configuration's checker, compiled once. */
function checker({ defines, property }: Configuration): string {
  installSpin();
  const all = property === undefined ? defines : [...defines, 'LIVENESS'];
  const sources = [...modelFiles(), 'spin.ts', 'labels.ts'].map(read);
  const path = cachePath('model', ...sources, all.join(' '));
  if (!existsSync(path)) buildInto(path, (folder) => build(folder, all, property === undefined));
  return path;
}

function build(folder: string, defines: string[], isSafety: boolean): void {
  for (const file of modelFiles()) writeFileSync(join(folder, file), counting(file, read(file)));
  const spin = ['-a', ...defines.map((define) => `-D${define}`), MAIN];
  execFileSync('spin', spin, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const kind = isSafety ? '-DSAFETY' : '-DNFAIR=3';
  const gcc = ['-O2', '-w', '-DCOLLAPSE', kind, `-DMEMLIM=${MEMORY_MAX_MB}`];
  execFileSync('gcc', [...gcc, '-o', 'pan', 'pan.c'], { cwd: folder, stdio: 'inherit' });
}

/** Spin itself does not tell which steps were never taken where each is one d_step. */
function counting(file: string, text: string): string {
  if (file === MAIN)
    return text.replace(/^init \{$/m, `${TELL}\ninit {\n  c_code { atexit(tell); };`);
  const isOriginal = file === 'original.pml';
  const rows = text.split('\n');
  for (const line of optionLines(text)) {
    // An option's guard may take more than one row.
    let at = line - 1;
    while (!rows[at]?.includes(' ->')) at += 1;
    const hit = `c_code { taken[${isOriginal ? 1 : 0}][${line}] = 1; };`;
    rows[at] = (rows[at] ?? '').replace(' ->', ` -> ${hit}`);
  }
  return rows.join('\n');
}

const TELL = `c_decl {
  char taken[2][2000];
  void tell(void) {
    for (int line = 0; line < 2000; line++) {
      if (taken[0][line]) printf("reached agent.pml:%d\\n", line);
      if (taken[1][line]) printf("reached original.pml:%d\\n", line);
    }
  }
}`;

function modelFiles(): string[] {
  return globSync('*.pml', { cwd: HERE }).sort();
}

function read(name: string): string {
  return readFileSync(join(HERE, name), 'utf8');
}

function figure(text: string, pattern: RegExp): number {
  const found = Number(pattern.exec(text)?.[1]);
  if (Number.isNaN(found)) throw new Error(`the checker did not end as it should: ${text}`);
  return found;
}

function hasTools(): boolean {
  return hasProgram('spin') && hasProgram('gcc') && existsSync('/usr/include/stdio.h');
}

function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}
