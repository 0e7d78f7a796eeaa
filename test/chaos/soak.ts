import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missing } from '../cluster/build.ts';
import { runTool, UsageError } from '../tool.ts';
import { wait } from './faults.ts';
import { startFleet } from './fleet.ts';
import { readNumbers, stopOnSignals } from './options.ts';
import { plotSvg } from './plot.ts';
import { type Sample, sampleOf } from './sample.ts';
import { verdictOf } from './verdict.ts';

const HELP = `npm run soak -- [--minutes N]

One agent on a real API server and etcd with a tick every 10 s, on a simulated host. Every 10 s its
resident memory, file descriptors, sockets and CPU time are read. Writes test/chaos/soak.svg. Exit
code 0: all are flat, 1: one grows, or it was stopped before its end, 2: bad arguments.

  --minutes  how long; 60 where not given
`;

const PERIOD_MS = 10_000;
const PLOT = fileURLToPath(new URL('soak.svg', import.meta.url));

async function main(args: string[]): Promise<number> {
  const { minutes } = readNumbers(args, { minutes: { fallback: 60, least: 1, most: 24 * 60 } });
  const why = missing();
  if (why !== '') throw new UsageError(`there is no control plane: ${why}`);
  const stop = stopOnSignals();
  const samples = await soak(minutes, stop);
  const { text, isFlat } = verdictOf(samples);
  process.stdout.write(`${text}\n`);
  if (stop.aborted) return 1;
  writeFileSync(PLOT, plotSvg(samples));
  process.stdout.write(`${PLOT}\n`);
  return isFlat ? 0 : 1;
}

async function soak(minutes: number, stop: AbortSignal): Promise<Sample[]> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const trouble: string[] = [];
  let runs = 0;
  const fleet = await startFleet({
    agents: 1,
    seed: 1,
    folder,
    flags: ['--schedule=@every 10s', '--schedule-window=9s'],
    variant: null,
    // What fails on purpose is another matter.
    isHealed: () => true,
    onFact: () => {},
    onGap: (error) => stop.aborted || trouble.push(error.message),
    onRecord(_, { state }) {
      if (state === 'done') runs += 1;
    },
    onText: () => {},
    onAnswer: (_, answer) => trouble.push(`answer: ${answer}`),
    onAway: () => {},
    onBack: () => {},
    onForget: () => {},
    onExit: (_, code, text) => trouble.push(`ends with ${code}: ${text}`),
    onError: (error) => trouble.push(String(error)),
  });
  const samples: Sample[] = [];
  try {
    const [member] = fleet.members;
    member?.agent.start();
    const beganMs = Date.now();
    for (let at = 1; at * PERIOD_MS <= minutes * 60_000 && !stop.aborted; at += 1) {
      await wait(beganMs + at * PERIOD_MS - Date.now(), stop);
      const pid = member?.agent.pid() ?? null;
      if (pid === null) throw new Error(`the agent is gone: ${trouble.join('; ')}`);
      const sample = sampleOf(pid, Date.now() - beganMs);
      samples.push(sample);
      if (at % 6 === 0) {
        const { residentMb, files, sockets, cpuS } = sample;
        process.stdout.write(
          `${at / 6} min: ${runs} runs, ${residentMb.toFixed(1)} MB, ${files} files, ${sockets} sockets, ${cpuS.toFixed(2)} s of CPU${trouble.length > 0 ? `; ${trouble.at(-1)}` : ''}\n`,
        );
      }
    }
  } finally {
    await fleet.stop();
    rmSync(folder, { recursive: true });
  }
  return samples;
}

await runTool('soak', HELP, main);
