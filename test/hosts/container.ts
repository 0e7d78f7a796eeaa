import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { poll } from '../cluster/cluster.ts';

/** One boot of a root folder: systemd-nspawn and the init inside it. */
export interface Container {
  /**
   * The container's init, as this machine numbers it. Throws unless it is one in namespaces of its
   * own: what is done to this process must never be done to this machine.
   */
  leader(): number;
  /** nspawn's exit code once everything in it has ended; 133: the host asked for a reboot. */
  ended: Promise<number | null>;
  kill(): Promise<void>;
}

// Everything lives in a PID namespace of its own, and that ends with this process: neither a
// killed test nor a killed nspawn leaves a host running. The groups keep two hosts' units apart.
const BOOT = `
root=$1 mount=$2
shift 2
for group; do mkdir -p "$group" && echo $$ >"$group/cgroup.procs" || exit; done
exec setpriv --pdeathsig KILL unshare --pid --fork --kill-child=KILL --mount --mount-proc sh -ec '
mount -t tmpfs tmpfs /run
exec systemd-nspawn --quiet --directory="$1" --bind="$2" --machine=host --register=no --keep-unit \
  --private-network --boot --console=pipe' sh "$root" "$mount"
`;

/** Boots `root`, with `mount` under the same path inside. */
export function boot(root: string, mount: string, log: number): Container {
  const groups = controlGroups().map((path) => join(path, basename(mount)));
  const child = spawn('sh', ['-c', BOOT, 'sh', root, mount, ...groups], {
    stdio: ['ignore', log, log],
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const ended = exited.then(async (code) => {
    for (const group of groups) await removeGroup(group);
    return code;
  });
  return {
    ended,
    leader() {
      if (child.pid === undefined) throw new Error('the host was not started');
      const [nspawn] = children(child.pid);
      const [init] = nspawn === undefined ? [] : children(nspawn);
      if (nspawn === undefined || init === undefined) throw new Error('the host is not up');
      for (const kind of ['pid', 'mnt', 'cgroup']) {
        const own = [process.pid, nspawn].map((pid) => namespaceOf(pid, kind));
        if (own.includes(namespaceOf(init, kind))) throw new Error(`no ${kind} namespace yet`);
      }
      const isInit = /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${init}/status`, 'utf8'));
      if (init <= 1 || !isInit) throw new Error(`${init} is not a host's init`);
      return init;
    },
    async kill() {
      // A pid is only ours while the process has not ended.
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

function children(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function namespaceOf(pid: number, kind: string): string {
  return readlinkSync(`/proc/${pid}/ns/${kind}`);
}

/** Where systemd keeps its units' processes: the unified hierarchy, the named one, or both. */
function controlGroups(): string[] {
  const rows = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const mounts = rows.filter((row) => / - cgroup2 |,name=systemd\b/.test(row));
  return mounts.map((row) => row.split(' ')[4] ?? '');
}

/** A group goes once its processes have; the kernel takes a moment. */
async function removeGroup(path: string): Promise<void> {
  const remove = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) remove(join(folder, entry.name));
    }
    rmdirSync(folder);
  };
  await poll(async () => {
    if (existsSync(path)) remove(path);
    return true;
  }, 10_000);
}
