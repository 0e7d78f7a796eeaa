import { rehearse } from '../../src/cli/rehearse.ts';

// The command as a process of its own, for signals and pipes.
process.exitCode = await rehearse(process.argv.slice(2), process.stdout, process.stderr);
