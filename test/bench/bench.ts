import { missing as missingCluster } from '../cluster/build.ts';
import { startCluster } from '../cluster/cluster.ts';
import { missing as missingHost } from '../hosts/image.ts';
import { benchProcess } from './process.ts';
import { benchRollouts } from './rollouts.ts';

/** `npm run bench`: this program beside the figures of others, measured on machines alike. */
const write = (text: string) => process.stdout.write(text);

const noCluster = missingCluster();
if (noCluster === '') {
  const cluster = await startCluster();
  try {
    const noHost = missingHost();
    if (noHost === '') await benchProcess(cluster, write);
    else write(`not measured: one process on a real host (${noHost})\n`);
    await benchRollouts(cluster, write);
  } finally {
    await cluster.stop();
  }
} else {
  process.stderr.write(`bench: there is no API server to measure on: ${noCluster}\n`);
  process.exitCode = 2;
}
