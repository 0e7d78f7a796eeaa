import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOOLS = [
  'cat',
  'cp',
  'grep',
  'head',
  'ls',
  'sed',
  'sh',
  'sort',
  'stat',
  'tail',
  'touch',
  'wc',
];

/** A host of a few programs that do what a test says, on which a script is run for real. */
export interface ProgramHost {
  mount: string;
  program(name: string, script: string): void;
  /** Runs it; its exit status. */
  run(script: string, env?: Record<string, string>): number | null;
  read(name: string): string;
  has(name: string): boolean;
  /** How long the script has slept, as it said to `sleep`. */
  sleeps(): string[];
  reset(): void;
  remove(): void;
}

export function programHost(): ProgramHost {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  const mount = join(folder, 'mount');
  const programs = join(folder, 'programs');
  const host: ProgramHost = {
    mount,
    program: (name, script) =>
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    run(script, env = {}) {
      const path = join(mount, 'host-upgrades.sh');
      writeFileSync(path, script);
      const own = { PATH: programs, HOST_PATH: mount, BUSY_LIMIT_S: '600', BUSY_PAUSE_S: '5' };
      return spawnSync('/bin/sh', [path], { env: { ...own, ...env } }).status;
    },
    read: (name) => readFileSync(join(mount, name), 'utf8'),
    has: (name) => existsSync(join(mount, name)),
    sleeps() {
      const path = join(folder, 'sleeps');
      return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    },
    reset() {
      for (const path of [mount, programs]) {
        rmSync(path, { recursive: true, force: true });
        mkdirSync(path);
      }
      rmSync(join(folder, 'sleeps'), { force: true });
      // Nothing of the machine but these: it may have package managers of its own.
      for (const tool of TOOLS) {
        const path = ['/bin', '/usr/bin'].map((bin) => join(bin, tool)).find(existsSync);
        symlinkSync(path ?? tool, join(programs, tool));
      }
      host.program('sleep', `echo "$1" >>${folder}/sleeps`);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
  return host;
}
