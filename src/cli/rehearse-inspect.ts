import type { Control } from '../inspector/control.ts';
import { createFeed } from '../inspector/feed.ts';
import type { Pacing, Source } from '../inspector/rows.ts';
import type { JournalRecord } from '../journal/record.ts';
import { createPace, type Pace } from '../rehearsal/pace.ts';
import { version } from '../version.ts';
import { openInspector } from './inspector.ts';
import type { RehearseFlags } from './rehearse-flags.ts';

/** A rehearsal in the inspector; times are ms since the epoch, in virtual time. */
export interface Shown {
  url: string;
  pace: Pace;
  onRecord(node: string, record: JournalRecord): void;
  onNote(text: string, atMs: number): void;
  /** Nothing follows; what there was can still be looked at. */
  end(): void;
  close(): Promise<void>;
}

/** Opens the inspector for a rehearsal that begins at `startMs`. Throws UsageError. */
export async function showRehearsal(
  flags: RehearseFlags,
  address: string | null,
  startMs: number,
  pageFolder?: string,
): Promise<Shown> {
  const feed = createFeed();
  const pace = createPace(startMs, flags.speed);
  let isOver = false;
  const { nodes, seed, faults } = flags;
  const source = (): Omit<Source, 'token'> => ({
    mode: 'rehearsal',
    version: version(),
    title: `Rehearsal of ${nodes} nodes, seed ${seed}, faults: ${faults.join(', ')}`,
    sources: Array.from({ length: nodes }, (_, index) => {
      const name = `node-${index + 1}`;
      return { name, node: name };
    }),
    isPaced: !isOver,
    isPaused: !isOver && pace.isPaused(),
    startMs,
  });
  /** Every page shows the same, whichever was told. */
  const tell = () => {
    const state = isOver ? 'over' : pace.isPaused() ? 'paused' : 'playing';
    feed.say('pace', { state, speed: flags.speed } satisfies Pacing);
  };
  const control: Control = {
    pause: () => told(pace.pause),
    play: () => told(pace.play),
    step: () => told(pace.step),
  };
  const told = (change: () => void) => {
    change();
    tell();
  };
  tell();
  const inspector = await openInspector(
    { flag: 'rehearse --inspect', address, ...(pageFolder === undefined ? {} : { pageFolder }) },
    { feed, source, control },
  );
  return {
    url: inspector.url,
    pace,
    onRecord: (node, record) => feed.append({ kind: 'record', source: node, node, record }),
    onNote: (text, atMs) => feed.append({ kind: 'note', node: '', atMs, text }),
    end() {
      isOver = true;
      tell();
      feed.end();
    },
    close: inspector.close,
  };
}
