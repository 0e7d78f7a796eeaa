import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Share } from './agents.ts';
import type { Turn } from './turns.ts';

/** What a worker says. */
export type Word =
  | { type: 'loaded' }
  | { type: 'waiting' }
  | { type: 'turn'; turn: Turn }
  | { type: 'ended'; cpuS: number; peakMb: number };

/** What one process with its share of the agents took of the machine. */
export interface Cost {
  /** From the tick on. */
  cpuS: number;
  /** The most that was resident, from its start on. */
  peakMb: number;
}

export interface WorkersListener {
  /** So many agents wait for the lock, or have. */
  waiting(agents: number): void;
  turn(turn: Turn): void;
}

export interface Workers {
  /** Every agent ticks; resolves when each has had its turn. Throws where a worker ends before. */
  tick(listener: WorkersListener): Promise<Cost[]>;
  /** Resolves when the processes and so their connections are gone. */
  stop(): Promise<void>;
}

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

/** Starts a process for each share; resolves when all agents have read their Nodes. */
export async function startWorkers(shares: readonly Share[], limitMs: number): Promise<Workers> {
  const processes = shares.map((share) => {
    const child = fork(WORKER, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.send(share);
    return child;
  });
  const stop = async () => {
    await Promise.all(
      processes.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }),
    );
  };
  try {
    await all(processes, 'loaded', limitMs);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async tick({ waiting, turn }) {
      let waitingAgents = 0;
      for (const child of processes) {
        child.on('message', (word: Word) => {
          if (word.type === 'turn') turn(word.turn);
          if (word.type !== 'waiting') return;
          waitingAgents += 1;
          waiting(waitingAgents);
        });
      }
      const ended = all(processes, 'ended', limitMs);
      for (const child of processes) child.send('tick');
      return ended;
    },
    stop,
  };
}

/** Resolves once every worker has said a word of the type. */
function all<Type extends Word['type']>(
  processes: readonly ChildProcess[],
  type: Type,
  limitMs: number,
): Promise<Extract<Word, { type: Type }>[]> {
  const limit = AbortSignal.timeout(limitMs);
  return Promise.all(
    processes.map(
      (child, index) =>
        new Promise<Extract<Word, { type: Type }>>((resolve, reject) => {
          const fail = (why: string) => reject(new Error(`worker ${index + 1}: ${why}`));
          child.on('message', (word: Word) => {
            if (word.type === type) resolve(word as Extract<Word, { type: Type }>);
          });
          child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
          limit.addEventListener('abort', () => fail(`not ${type} after ${limitMs / 1_000} s`));
        }),
    ),
  );
}
