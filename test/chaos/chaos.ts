import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missing } from '../cluster/build.ts';
import { runTool, UsageError } from '../tool.ts';
import { readNumbers, stopOnSignals } from './options.ts';
import { violationText } from './report.ts';
import { runChaos } from './run.ts';

const HELP = `npm run chaos -- [--minutes N] [--agents N] [--seed N]

Agents as processes of their own on a real API server and etcd, with faults that follow from the seed:
processes killed and stopped, hosts without power, connections that break or fall silent, an API server
that restarts, forgets, refuses and changes its certificate. The invariants are checked on etcd's whole
history. Everything is on loopback. Exit code 0: none broken, 1: one is, or it was stopped before its
end, 2: bad arguments.

  --minutes  for how long faults come; 60 where not given. Every agent's last turn comes after that
  --agents   how many; 20 where not given
  --seed     of the faults; 1 where not given. What they meet is another moment each time
`;

async function main(args: string[]): Promise<number> {
  const { minutes, agents, seed } = readNumbers(args, {
    minutes: { fallback: 60, least: 1, most: 24 * 60 },
    agents: { fallback: 20, least: 2, most: 100 },
    seed: { fallback: 1, least: 0, most: 999_999_999 },
  });
  const why = missing();
  if (why !== '') throw new UsageError(`there is no control plane: ${why}`);
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  const stop = stopOnSignals();
  say(`seed ${seed}, ${agents} agents, ${minutes} minutes; logs and journals in ${folder}`);
  const chaos = await runChaos({
    seed,
    agents,
    faultyMs: minutes * 60_000,
    folder,
    variant: process.env.CHAOS_VARIANT ?? null,
    stop,
    say,
  });
  const { violations, last, tally, revision, starts, isComplete } = chaos;
  const [first] = violations;
  if (first) say(violationText(first, last, { seed, agents, minutes, folder }));
  say(tally.text(starts));
  say(
    `${violations.length} invariants broken; ${revision} revisions of etcd without a gap${isComplete ? '' : '; not complete'}`,
  );
  if (!first) rmSync(folder, { recursive: true });
  return first === undefined && isComplete ? 0 : 1;
}

await runTool('chaos', HELP, main);
