import { openHost } from '../../src/host/host.ts';

/** A process that starts an upgrade as the run named, to be killed: OPTIONS (JSON) RUN. */
const [options = '', run = ''] = process.argv.slice(2);
const port = await openHost({
  ...JSON.parse(options),
  warn: (message) => process.stderr.write(`${message}\n`),
});
port.upgrade(run, false).subscribe();
