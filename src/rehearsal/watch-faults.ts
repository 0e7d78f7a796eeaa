import type { FaultKind, Stage } from './faults.ts';

const STALL_MS = 4_000;

/** Does `act` again and again, at times drawn between `least` and `most` ms. */
function everySoOften({ clock, random }: Stage, least: number, most: number, act: () => void) {
  const again = () => {
    act();
    clock.setTimeout(again, random.between(least, most));
  };
  clock.setTimeout(again, random.between(least, most));
}

/** What goes wrong with watches: who waits for the lock must neither miss it nor ask too often. */
export const WATCH_FAULTS: Record<string, FaultKind> = {
  'watch-drop': {
    about: 'all watches end every few seconds',
    create: (stage) => ({
      begin: () =>
        everySoOften(stage, 1_000, 5_000, () => {
          stage.note('all watches end');
          stage.api.dropWatches();
        }),
    }),
  },
  'watch-gone': {
    about: 'the same, and older versions are gone (410)',
    create: (stage) => ({
      begin: () =>
        everySoOften(stage, 1_000, 5_000, () => {
          stage.note('older versions are forgotten, and all watches end');
          stage.api.compact();
          stage.api.dropWatches();
        }),
    }),
  },
  'watch-stall': {
    about: 'open watches go silent, their connections stay',
    create: ({ clock, random, api, note }) => ({
      stallMs: STALL_MS,
      begin: () => {
        clock.setTimeout(
          () => {
            note(`the watches go silent; noticed after ${STALL_MS / 1_000} s`);
            api.freezeWatches();
          },
          random.between(300, 800),
        );
      },
    }),
  },
};
