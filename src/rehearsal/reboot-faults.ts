import { DEADLINE_ERROR } from '../../machines/setup.ts';
import type { FaultKind } from './faults.ts';
import { REFUSAL, type RebootFailure } from './hosts.ts';

const AWAY_MS = 4_000;
const WAIT_MS = 40_000;

/** One node's reboot goes wrong in a way; its run fails with an error that says so. */
function rebootFault(about: string, how: RebootFailure, error: RegExp): FaultKind {
  return {
    about,
    needs: 'reboot',
    create({ random, nodes }) {
      const victim = random.pick(nodes);
      return {
        rebootFailure: (node) => (node === victim ? how : null),
        mustFail: [victim],
        mayFail: (node, message) => node === victim && error.test(message),
      };
    },
  };
}

/** What goes wrong with drains and reboots. */
export const REBOOT_FAULTS: Record<string, FaultKind> = {
  'reboot-fails': rebootFault(
    "one node's reboot is refused",
    'refused',
    new RegExp(`^${REFUSAL}$`),
  ),
  'reboot-stuck': rebootFault(
    'one host does not go down when it is told to',
    'stuck',
    /the host is still up/,
  ),
  'no-return': {
    about: 'one host never comes back: the others wait',
    needs: 'reboot',
    create({ random, nodes }) {
      const victim = random.pick(nodes);
      return {
        // The others need not wait for an hour.
        windowMs: WAIT_MS,
        rebootFailure: (node) => (node === victim ? 'dead' : null),
        mayFail: (_, error) => error === DEADLINE_ERROR,
      };
    },
  },
  pdb: {
    about: 'a PodDisruptionBudget allows nothing on one node',
    needs: 'drain',
    create({ random, nodes }) {
      const victim = random.pick(nodes);
      return {
        blockedNode: victim,
        mustFail: [victim],
        mayFail: (node, error) => node === victim && error.includes('blocked: pod default/db-'),
      };
    },
  },
  'api-down-drain': {
    about: 'the API server goes away during a drain',
    needs: 'drain',
    create({ clock, api, note }) {
      let isDone = false;
      const away = async () => {
        note(`the API server goes away for ${AWAY_MS / 1_000} s`);
        await clock.during(api.pause());
        await clock.sleep(AWAY_MS);
        await clock.during(api.resume());
        note('the API server is back');
      };
      return {
        drainStarted() {
          if (isDone) return;
          isDone = true;
          clock.setTimeout(() => clock.background(away()), 100);
        },
      };
    },
  },
};
