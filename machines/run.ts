import { acquiring } from './acquiring.ts';
import { assign } from './assign.ts';
import type { RunEvent } from './events.ts';
import type { Line } from './lines.ts';
import { locked } from './locked.ts';
import { restMs } from './rebooting.ts';
import { releasing } from './releasing.ts';
import {
  BACKOFF_FIRST_MS,
  disruptionOf,
  log,
  machineSetup,
  type RunContext,
  STANDBY_SLOT_MS,
  timerMs,
} from './setup.ts';

/** With --hard-window: the deadline also ends what may begin with the lock held. */
const closeWindow = machineSetup.enqueueActions(({ context, enqueue }) => {
  const { deadlineInMs } = context;
  if (!disruptionOf(context).hardWindow || deadlineInMs === null) return;
  enqueue.raise({ type: 'window.closed' }, { id: 'window', delay: timerMs(deadlineInMs) });
});

/** Takes over what an earlier run has left on the cluster. */
const recover = machineSetup.assign(({ context }) => {
  const { leftover, adopt } = context;
  return leftover === undefined
    ? {}
    : {
        // With an upgrade to adopt, a reboot that is proven is settled when that has ended.
        rebooted: adopt && isProven(context) ? (context.boot ?? null) : null,
        isUnlocked: !leftover.isLocked,
        isCordoned: leftover.isCordoned,
        mark: leftover.reboot && { at: leftover.reboot.at, atMs: leftover.reboot.atMs },
      };
});

/** A mark is proven by another boot; the original's only tells when it was made. */
function isProven({ leftover, boot }: RunContext): boolean {
  const reboot = leftover?.reboot ?? null;
  if (reboot === null || boot === undefined) return false;
  return reboot.bootId === '' ? boot.bootMs > reboot.atMs : reboot.bootId !== boot.bootId;
}

/** The process that goes on is in another boot, and a reboot was what the run was about. */
function isRebootDone({ context, event }: { context: RunContext; event: RunEvent }): boolean {
  const { boot, mark, status, resumeAt } = context;
  if (event.type !== 'run.resumed' || !event.boot || !boot) return false;
  if (event.boot.bootId === boot.bootId) return false;
  const isOnTheWay =
    resumeAt === 'reporting' || resumeAt === 'draining' || resumeAt === 'rebooting';
  const isWanted = status === null ? context.isRebootPending === true : status.rebootRequired;
  return mark !== null || (isOnTheWay && isWanted);
}

/** The run was about to reboot, and the process that goes on with it may not. */
function isForbiddenNow({ context, event }: { context: RunContext; event: RunEvent }): boolean {
  const { resumeAt, status } = context;
  if (event.type !== 'run.resumed' || event.disruption === undefined) return false;
  const isOnTheWay = resumeAt === 'rebooting' || (resumeAt === 'draining' && status !== null);
  return isOnTheWay && !event.disruption.reboot;
}

/** The run was draining for a reboot, and the process that goes on with it may only reboot. */
function isUndrainedNow({ context, event }: { context: RunContext; event: RunEvent }): boolean {
  const { resumeAt, status } = context;
  if (event.type !== 'run.resumed' || event.disruption === undefined) return false;
  const { reboot, drain } = event.disruption;
  return resumeAt === 'draining' && status !== null && reboot && !drain;
}

const logReboot = {
  type: 'log' as const,
  params: ({ context }: { context: RunContext }): Line => ({
    id: 'reboot.done',
    at: context.mark?.at ?? '',
    bootMs: context.rebooted?.bootMs ?? 0,
  }),
};

/** The boot and the window as they are now. */
const goOn = [
  machineSetup.assign(({ event }) => {
    if (event.type !== 'run.resumed') return {};
    const { deadlineInMs, boot, disruption } = event;
    return {
      deadlineInMs,
      ...(boot === undefined ? {} : { boot }),
      ...(disruption === undefined ? {} : { disruption }),
    };
  }),
  closeWindow,
];

/** Where a run goes on that was interrupted there. */
const RESUMED: [RunContext['resumeAt'], string][] = [
  ['acquiring', 'acquiring'],
  ['releasing', 'releasing'],
  ['reporting', 'locked.reporting'],
  ['draining', 'locked.draining'],
  ['rebooting', 'locked.rebooting'],
  ['rebooted', 'locked.rebooted'],
  ['undoing', 'locked.undoing'],
  ['uncordoning', 'locked.uncordoning'],
];

const at =
  (point: RunContext['resumeAt']) =>
  ({ context }: { context: RunContext }) =>
    context.resumeAt === point;

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
    standbySlotMs: STANDBY_SLOT_MS,
    updateVersion: '',
    watchEnded: false,
    seen: [],
    status: null,
    resumeAt: null,
    isCordoned: false,
    isDrained: false,
    blocked: [],
    mark: null,
    rebooted: null,
    isRebootKept: false,
    isWindowClosed: false,
    isUnlocked: false,
    error: null,
  }),
  entry: closeWindow,
  on: { 'window.closed': { actions: assign({ isWindowClosed: true }) } },
  initial: 'starting',
  states: {
    starting: {
      description:
        'Which way the run goes: alone, with the lock, or with what an earlier one has left',
      always: [
        { guard: 'isNative', target: 'locked', actions: log({ id: 'run.native' }) },
        {
          guard: ({ context }) => context.adopt,
          target: 'locked.verifying',
          actions: [log({ id: 'run.adopting' }), assign({ resumeAt: 'upgrading' }), recover],
        },
        {
          guard: ({ context }) => isProven(context),
          target: 'locked.rebooted',
          actions: [log({ id: 'run.recovering' }), recover, 'rememberReboot', logReboot],
        },
        {
          guard: ({ context }) => (context.leftover?.reboot ?? null) !== null,
          target: 'locked.rebooting.waiting',
          actions: [
            log({ id: 'run.recovering' }),
            recover,
            assign({ waitMs: ({ context, event }) => restMs(context, event) }),
          ],
        },
        {
          guard: ({ context }) => context.leftover?.isCordoned === true,
          target: 'locked.uncordoning',
          actions: [log({ id: 'run.recovering' }), recover],
        },
        { target: 'acquiring' },
      ],
    },
    acquiring,
    locked,
    releasing,
    ended: {
      description: 'Done, or failed: as the run went',
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
            guard: isRebootDone,
            target: 'locked.rebooted',
            actions: [log({ id: 'run.resuming' }), 'rememberReboot', logReboot, ...goOn],
          },
          {
            guard: at('proving'),
            target: 'locked.rebooting.waiting',
            actions: [
              log({ id: 'run.resuming' }),
              assign({ waitMs: ({ context, event }) => restMs(context, event) }),
              ...goOn,
            ],
          },
          {
            guard: isUndrainedNow,
            target: 'locked.rebooting',
            actions: [log({ id: 'run.resuming' }), ...goOn],
          },
          {
            guard: isForbiddenNow,
            target: 'locked.leaving',
            actions: [log({ id: 'run.resuming' }), ...goOn, log({ id: 'run.reboot.skipped' })],
          },
          ...RESUMED.map(([point, target]) => ({
            guard: at(point),
            target,
            actions: [log({ id: 'run.resuming' }), ...goOn],
          })),
          {
            guard: 'isNative',
            target: 'locked.upgrading',
            actions: [log({ id: 'run.resuming' }), ...goOn],
          },
          { target: 'locked.verifying', actions: [log({ id: 'run.resuming' }), ...goOn] },
        ],
      },
    },
    done: { type: 'final', description: 'The node had its turn', entry: log({ id: 'run.done' }) },
    failed: { type: 'final', description: 'The next tick tries again' },
    stopped: { type: 'final', description: 'Told to stop before the lock was acquired' },
  },
});
