import { DEADLINE_ERROR } from '../../machines/setup.ts';
import type { FaultKind } from './faults.ts';

const DPKG_ERROR =
  'Failed to run unattended-upgrades: exit status 1: dpkg: error processing package openssl (--configure)';
const WINDOW_MS = 3_000;
const DOWN_MS = 1_000;

/** What goes wrong on a node, or with its time. */
export const NODE_FAULTS: Record<string, FaultKind> = {
  'upgrade-fails': {
    about: "one node's upgrade fails",
    create({ random, nodes }) {
      const victim = random.pick(nodes);
      return {
        mustFail: [victim],
        mayFail: (node, error) => node === victim && error === DPKG_ERROR,
        hostFailure: (node) => (node === victim ? DPKG_ERROR : null),
      };
    },
  },
  restart: {
    about: "one node's process ends during its upgrade",
    create({ clock, random, nodes, restart, note }) {
      const victim = random.pick(nodes);
      let isDone = false;
      return {
        upgradeStarted(node) {
          if (node !== victim || isDone) return;
          isDone = true;
          clock.setTimeout(
            () => {
              note(`${node}'s process ends, its upgrade goes on`);
              restart(node, DOWN_MS);
            },
            random.between(100, 400),
          );
        },
      };
    },
  },
  kill: {
    about: "one node's process is killed at some moment",
    create({ clock, random, nodes, kill, note }) {
      const victim = random.pick(nodes);
      return {
        begin() {
          clock.setTimeout(
            () => {
              note(`${victim}'s process is killed`);
              kill(victim, DOWN_MS);
            },
            random.between(5, 4_000),
          );
        },
      };
    },
  },
  'short-window': {
    about: `a window of ${WINDOW_MS / 1_000} s, too short for all nodes`,
    create: () => ({
      windowMs: WINDOW_MS,
      mayFail: (_, error) => error === DEADLINE_ERROR,
    }),
  },
};
