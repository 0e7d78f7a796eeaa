import { main } from './cli/main.ts';

// A reader that goes away (`| head`) is no reason to stop an upgrade, nor to die with a stack.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const code = await main(process.argv.slice(2), process.stdout, process.stderr);
// A run that was left behind in time still has its connections and timers; they end here, once
// everything that was said has been written.
process.exitCode = code;
process.stdout.write('', () => process.exit(code));
