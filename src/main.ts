import { main } from './cli/main.ts';

// A log that cannot be written is no reason to stop an upgrade, nor to die with a stack. A reader
// that goes away (`| head`) has seen what it wanted; anything else is said once.
let isTold = false;
const tell = (error: NodeJS.ErrnoException | null | undefined) => {
  if (!error || error.code === 'EPIPE' || isTold) return;
  isTold = true;
  process.stderr.write(`host-upgrades: standard output cannot be written (${error.code})\n`);
};
process.stdout.on('error', tell);
// Where nothing can be said any more, that cannot be said either.
process.stderr.on('error', () => {});

const code = await main(process.argv.slice(2), process.stdout, process.stderr);
// A run that was left behind in time still has its connections and timers; they end here, once
// everything that was said has been written.
process.exitCode = code;
process.stdout.write('', (error) => {
  tell(error);
  process.exit(code);
});
