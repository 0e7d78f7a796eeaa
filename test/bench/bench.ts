import { missing as missingCluster } from '../cluster/build.ts';
import { startCluster } from '../cluster/cluster.ts';
import { missing as missingHost } from '../hosts/image.ts';
import { parseFlags, runTool, UsageError } from '../tool.ts';
import { benchProcess } from './process.ts';
import { benchRollouts } from './rollouts.ts';

const HELP = `npm run bench -- [--only process|fleet]

This program beside the figures of others, measured on machines alike.

  --only process  one process on a real host: its memory, and how soon it asks its first question
  --only fleet    whole rollouts of 10 to 1,000 agents on a real API server and etcd; takes minutes.
                  Writes test/bench/*.svg.

Exit code 0: measured, 2: bad arguments, or no control plane.
`;

const PARTS = ['process', 'fleet'] as const;
type Part = (typeof PARTS)[number];

async function main(args: string[]): Promise<number> {
  const parts = partsOf(args);
  const why = missingCluster();
  if (why !== '') throw new UsageError(`there is no API server to measure on: ${why}`);
  // The control plane ends with this process where it exits, not where a signal ends it.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));
  const write = (text: string) => process.stdout.write(text);
  const cluster = await startCluster();
  try {
    const noHost = parts.includes('process') ? missingHost() : '';
    if (noHost !== '') write(`not measured: one process on a real host (${noHost})\n`);
    else if (parts.includes('process')) await benchProcess(cluster, write);
    if (parts.includes('fleet')) await benchRollouts(cluster, write);
  } finally {
    await cluster.stop();
  }
  return 0;
}

/** Throws UsageError. */
function partsOf(args: string[]): readonly Part[] {
  const { only } = parseFlags({ args, options: { only: { type: 'string' } } }).values;
  if (only === undefined) return PARTS;
  const part = PARTS.find((name) => name === only);
  if (part === undefined) throw new UsageError(`--only=${only}: give ${PARTS.join(' or ')}`);
  return [part];
}

await runTool('bench', HELP, main);
