import { ResetConnection } from './apiserver.ts';
import type { FaultKind } from './faults.ts';
import { DAEMON_SETS } from './routes.ts';
import { StatusError } from './store.ts';

const isLockUpdate = (request: { verb: string; resource: string }) =>
  request.verb === 'patch' && request.resource === DAEMON_SETS.qualified;

const CONFLICT_SHARE = 1 / 8;
const REFUSED_SHARE = 1 / 8;
const REFUSALS: [number, string, string][] = [
  [500, 'InternalError', 'etcdserver: leader changed'],
  [503, 'ServiceUnavailable', 'the server is currently unable to handle the request'],
  [429, 'TooManyRequests', 'too many requests, please try again later'],
];

/** What goes wrong with single requests, or with the whole API server. */
export const API_FAULTS: Record<string, FaultKind> = {
  conflict: {
    about: 'another writer, between a read and its update',
    create({ random, api, note }) {
      let isFirst = true;
      return {
        before(request) {
          if (!isLockUpdate(request)) return;
          if (!isFirst && random.next() >= CONFLICT_SHARE) return;
          isFirst = false;
          note("another writer updates the DaemonSet's status");
          api.touch();
        },
      };
    },
  },
  'api-down': {
    about: 'the API server is away for some seconds',
    create({ clock, random, api, note }) {
      const away = async (downMs: number) => {
        note(`the API server goes away for ${downMs / 1_000} s`);
        await clock.during(api.pause());
        await clock.sleep(downMs);
        await clock.during(api.resume());
        note('the API server is back');
      };
      return {
        begin: () => {
          const downMs = random.between(2, 5) * 1_000;
          clock.setTimeout(() => clock.background(away(downMs)), random.between(500, 1_500));
        },
      };
    },
  },
  'api-errors': {
    about: 'one request in eight is refused: 429, 500, 503',
    create: ({ random }) => ({
      before() {
        if (random.next() >= REFUSED_SHARE) return;
        throw new StatusError(...random.pick(REFUSALS));
      },
    }),
  },
  'slow-api': {
    about: 'requests and answers take up to a second each',
    create: () => ({ delay: [100, 1_000] }),
  },
  'lost-answer': {
    about: 'the answers to an acquire and a release are lost',
    create({ holder, note }) {
      const lost = new Set<string>();
      return {
        after(request) {
          if (!isLockUpdate(request)) return;
          const what = holder() === '' ? 'the lock is free' : `${holder()} has the lock`;
          const kind = holder() === '' ? 'release' : 'acquire';
          if (lost.has(kind)) return;
          lost.add(kind);
          note(`${what}, and the answer that says so is lost`);
          throw new ResetConnection();
        },
      };
    },
  },
};
