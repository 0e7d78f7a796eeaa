import { once } from 'node:events';
import { type Share, startAgents } from './agents.ts';
import type { Word } from './workers.ts';

/** A process with a share of the fleet's agents: it is told the share, then to tick. */
const say = (word: Word) => process.send?.(word);
const told = async <T>(): Promise<T> => (await once(process, 'message'))[0] as T;

process.once('disconnect', () => process.exit(1));
const agents = await startAgents(await told<Share>());
const ticked = told();
say({ type: 'loaded' });
await ticked;
const before = process.cpuUsage();
await agents.tick({
  waiting: () => say({ type: 'waiting' }),
  turn: (turn) => say({ type: 'turn', turn }),
});
const { user, system } = process.cpuUsage(before);
say({
  type: 'ended',
  cpuS: (user + system) / 1e6,
  peakMb: process.resourceUsage().maxRSS / 1_024,
});
