import { assign } from 'xstate';
import { acquiring } from './acquiring.ts';
import { locked } from './locked.ts';
import { releasing } from './releasing.ts';
import { BACKOFF_FIRST_MS, log, machineSetup } from './setup.ts';

/** One run, from `Acquiring kube lock...` to done, failed or stopped. */
export const runMachine = machineSetup.createMachine({
  id: 'run',
  context: ({ input }) => ({
    ...input,
    lock: { value: '', resourceVersion: '' },
    backoffMs: BACKOFF_FIRST_MS,
    waitMs: 0,
    lostUpdateVersion: null,
    releaseLost: false,
    updateVersion: '',
    watchEnded: false,
    seen: [],
    status: null,
    resumeAt: null,
    error: null,
  }),
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'isNative', target: 'locked', actions: log({ id: 'run.native' }) },
        {
          guard: ({ context }) => context.adopt,
          target: 'locked.verifying',
          actions: [log({ id: 'run.adopting' }), assign({ resumeAt: 'upgrading' })],
        },
        { target: 'acquiring' },
      ],
    },
    acquiring,
    locked,
    releasing,
    ended: {
      always: [
        {
          guard: 'hasFailed',
          target: 'failed',
          actions: {
            type: 'log',
            params: ({ context }) => ({ id: 'run.failed', message: context.error ?? '' }),
          },
        },
        { target: 'done' },
      ],
    },
    interrupted: {
      description: 'Between two processes: nothing runs here',
      on: {
        'run.resumed': [
          {
            guard: ({ context }) => context.resumeAt === 'acquiring',
            target: 'acquiring',
            actions: [
              log({ id: 'run.resuming' }),
              assign({ deadlineInMs: ({ event }) => event.deadlineInMs }),
            ],
          },
          {
            guard: ({ context }) => context.resumeAt === 'releasing',
            target: 'releasing',
            actions: log({ id: 'run.resuming' }),
          },
          {
            guard: ({ context }) => context.resumeAt === 'reporting',
            target: 'locked.reporting',
            actions: log({ id: 'run.resuming' }),
          },
          { target: 'locked.verifying', actions: log({ id: 'run.resuming' }) },
        ],
      },
    },
    done: { type: 'final', entry: log({ id: 'run.done' }) },
    failed: { type: 'final' },
    stopped: { type: 'final' },
  },
});
