/** What neither a seed nor a directed plan reaches, and why it cannot; all else has to be reached. */
export const UNREACHED_TRANSITIONS: Readonly<Record<string, string>> = {
  'acquiring.watch.update lock.updated -> acquiring.conflict':
    'an API server that stores another value than it was sent: the embedded one alters nothing',
  'acquiring.update lock.updated -> acquiring.conflict':
    'an API server that stores another value than it was sent: the embedded one alters nothing',
  'acquiring.watch.conflict lock.changed [isMine] -> as it is':
    'its own acquire conflicts, and an older one of its own is carried out: that had an older version, which conflicts too',
  'acquiring.watch deadline.reached [maybeHeld] -> releasing':
    'only behind the one above: who watches has read a newer version than that of its last acquire, so that nothing is unsettled',
  'locked.draining.evicting drain.failed [event.output !== undefined] -> locked.undrained':
    'a drain of this program that fails has no output: only the logs of 2018 tell of one',
};

interface Unreached {
  faults: RegExp;
  states: readonly string[];
  why: string;
}

/** Pairs of a fault and a state, each fault that matches with each of the states. */
const PAIRS: readonly Unreached[] = [
  {
    faults: /^/,
    states: ['starting', 'locked.entering', 'locked.leaving', 'ended'],
    why: 'left at once: no record names it, and no time passes in which a fault could come',
  },
  {
    faults: /^crash-(before|after)-record(-power)?$/,
    states: ['no run'],
    why: 'the first record begins the run',
  },
  {
    faults: /^crash-(before|after)-effect(-power)?$/,
    states: [
      'acquiring.get',
      'locked.verifying.get',
      'locked.draining.confirming',
      'locked.rebooting.confirming',
      'releasing.get',
    ],
    why: 'it only reads',
  },
  {
    faults: /^crash-(before|after)-effect(-power)?$/,
    states: [
      'acquiring.spread',
      'acquiring.watch.held',
      'acquiring.watch.standby',
      'acquiring.watch.conflict',
      'acquiring.conflict',
      'acquiring.backoff',
      'locked.verifying.backoff',
      'locked.draining.backoff',
      'locked.rebooting.backoff',
      'locked.rebooting.waiting',
      'locked.rebooted.backoff',
      'locked.undoing.backoff',
      'locked.uncordoning.backoff',
      'releasing.conflict',
      'releasing.backoff',
    ],
    why: 'it only waits',
  },
  {
    faults: /^crash-(before|after)-effect(-power)?$/,
    states: ['interrupted', 'done', 'failed', 'stopped'],
    why: 'no run is on, and the ended one has left nothing that a start would put right',
  },
];

/** Why a fault never hits a state, or null where it does. */
export function whyNever(fault: string, state: string): string | null {
  return (
    PAIRS.find(({ faults, states }) => faults.test(fault) && states.includes(state))?.why ?? null
  );
}
