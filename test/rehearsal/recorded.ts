import type { JournalRecord } from '../../src/journal/record.ts';
import { memoryJournals } from '../../src/rehearsal/journal.ts';
import type { Outcome } from '../../src/rehearsal/outcome.ts';
import { type RolloutOptions, rollout } from '../../src/rehearsal/rollout.ts';

/** All that can be seen of a rollout. */
export interface Recorded {
  outcome: Outcome;
  /** `atMs node text`, in the order in which they came; notes are `*`'s. */
  lines: string[];
  records: { node: string; record: JournalRecord }[];
}

/** A rollout as fast as possible, with everything that it showed. */
export async function recorded(options: Partial<RolloutOptions>): Promise<Recorded> {
  const lines: string[] = [];
  const records: Recorded['records'] = [];
  const outcome = await rollout(
    {
      nodes: 3,
      seed: 1,
      speed: 0,
      faults: ['none'],
      reboot: false,
      drain: false,
      tickMs: Date.UTC(2026, 0, 6, 3),
      openJournal: memoryJournals(),
      version: '1',
      onText: (node, text, atMs) => lines.push(`${atMs} ${node} ${text}`),
      onRecord: (node, record) => records.push({ node, record }),
      onNote: (text, atMs) => lines.push(`${atMs} * ${text}`),
      ...options,
    },
    new AbortController().signal,
  );
  if (outcome === null) throw new Error('nobody interrupted the rollout');
  return { outcome, lines, records };
}

export const textsOf = ({ lines }: Recorded, node: string): string[] =>
  lines
    .map((line) => line.split(' '))
    .flatMap(([, of, ...text]) => (of === node ? [text.join(' ')] : []));
