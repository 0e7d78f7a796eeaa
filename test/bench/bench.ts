import { missing } from '../cluster/build.ts';
import { startCluster } from '../cluster/cluster.ts';
import { benchRollouts } from './rollouts.ts';

const write = (text: string) => process.stdout.write(text);

if (missing() === '') {
  const cluster = await startCluster();
  try {
    await benchRollouts(cluster, write);
  } finally {
    await cluster.stop();
  }
} else {
  write(`no real API server here: ${missing()}\n`);
  process.exitCode = 2;
}
