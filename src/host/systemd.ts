import { setTimeout as pause } from 'node:timers/promises';
import { Variant } from '@jellybrick/dbus-next';
import { type Bus, BusError, BusLost } from './bus.ts';

const DESTINATION = 'org.freedesktop.systemd1';
const MANAGER = {
  destination: DESTINATION,
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
};

export interface TransientUnit {
  name: string;
  description: string;
  /** Absolute path of the program, then its arguments. */
  command: string[];
  environment: Record<string, string>;
}

export interface UnitState {
  /** active, activating, inactive, failed … */
  activeState: string;
  /** More exactly: running, exited, dead … */
  subState: string;
  /** Whether a job for it waits or runs: one that is to be started is still inactive. */
  hasJob: boolean;
  /** The process's environment as the unit was made with: `NAME=value`. */
  environment: string[];
  /** One start of a unit, as systemd numbers them: 32 hexadecimal digits. */
  invocationId: string;
  /** When it was started, µs since the epoch; 0n where it has not been. */
  startedUs: bigint;
  /** Whether it stays loaded once it has ended well. */
  remains: boolean;
  /** systemd's word for how it went: success, exit-code, signal, timeout, oom-kill … */
  result: string;
  /** The main process's exit code, or the signal's number where a signal ended it. */
  exitStatus: number;
}

/** The state of a unit, or null where it is not loaded. Throws BusError. */
export async function unitState(bus: Bus, name: string): Promise<UnitState | null> {
  try {
    const [path] = await bus.call({ ...MANAGER, member: 'GetUnit', signature: 's', body: [name] });
    // One call for all: a unit must not change between its state and its result.
    const [all] = await bus.call({
      destination: DESTINATION,
      path: path as string,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'GetAll',
      signature: 's',
      body: [''],
    });
    const properties = all as Record<string, Variant>;
    const value = (key: string) => properties[key]?.value;
    return {
      activeState: value('ActiveState') as string,
      subState: value('SubState') as string,
      hasJob: (value('Job') as [number, string])[0] !== 0,
      environment: value('Environment') as string[],
      invocationId: Buffer.from(value('InvocationID') as Uint8Array).toString('hex'),
      startedUs: value('InactiveExitTimestamp') as bigint,
      remains: value('RemainAfterExit') as boolean,
      result: value('Result') as string,
      exitStatus: value('ExecMainStatus') as number,
    };
  } catch (error) {
    // Both mean the same: it may go between the two calls.
    if (isNamed(error, 'NoSuchUnit') || isNamed(error, 'UnknownObject')) return null;
    throw error;
  }
}

/** Whether its program runs or is about to. One that is done may remain `active`. */
export function isAtWork(state: UnitState | null): boolean {
  if (state === null) return false;
  const { activeState, subState, hasJob } = state;
  const hasEnded = ['inactive', 'failed'].includes(activeState) || subState === 'exited';
  return hasJob || !hasEnded;
}

/**
 * Starts a transient oneshot unit: it belongs to systemd and outlives this process. What is left
 * of an earlier one of that name is cleared first, else it is "already loaded". Throws BusError.
 */
export async function startUnit(bus: Bus, unit: TransientUnit): Promise<void> {
  await clearUnit(bus, unit.name);
  const [program = '', ...args] = unit.command;
  const environment = Object.entries(unit.environment).map(([name, value]) => `${name}=${value}`);
  const properties = [
    ['Description', new Variant('s', unit.description)],
    ['Type', new Variant('s', 'oneshot')],
    // Stays loaded when done, so that a process that comes late still learns how it ended.
    ['RemainAfterExit', new Variant('b', true)],
    ['Environment', new Variant('as', environment)],
    ['ExecStart', new Variant('a(sasb)', [[program, [program, ...args], false]])],
  ];
  const body = [unit.name, 'fail', properties, []];
  const call = { ...MANAGER, member: 'StartTransientUnit', signature: 'ssa(sv)a(sa(sv))', body };
  for (let left = START_TRIES; ; left -= 1) {
    try {
      await bus.call(call);
      return;
    } catch (error) {
      if (!isNamed(error, 'UnitExists')) throw error;
      if (left <= 1) throw new BusError((error as BusError).name, ownUnit(unit.name), error);
    }
    await pause(FORGETS_MS);
  }
}

/** A unit that was cleared is forgotten in a moment; a file on the host is not. */
const START_TRIES = 5;
const FORGETS_MS = 100;

function ownUnit(name: string): string {
  const advice = `see systemctl cat ${name}, remove that file and run systemctl daemon-reload`;
  return `the host has a ${name} of its own: ${advice}`;
}

/** Lets go of a unit whose end was told; one that is at work is left alone. Throws BusError. */
export async function clearUnit(bus: Bus, name: string): Promise<void> {
  const state = await unitState(bus, name);
  if (isAtWork(state)) return;
  if (state?.activeState === 'failed') {
    await bus.call({ ...MANAGER, member: 'ResetFailedUnit', signature: 's', body: [name] });
  } else if (state?.activeState === 'active') {
    await Promise.all([
      waitFor(bus, name, (now) => now === null || now.activeState === 'inactive'),
      bus.call({ ...MANAGER, member: 'StopUnit', signature: 'ss', body: [name, 'fail'] }),
    ]);
  }
}

/**
 * Waits until the unit's program has ended: of a unit of this process, of an earlier one, and of
 * one that has ended before. null where it is not loaded any more. Throws BusError.
 */
export async function unitEnded(bus: Bus, name: string): Promise<UnitState | null> {
  const ended = await waitFor(bus, name, (state) => !isAtWork(state));
  // On its way out of systemd's memory, with what is no result any more.
  return ended?.activeState === 'inactive' ? null : ended;
}

/** A signal can be missed while the bus itself is restarted: it is also asked this often. */
const ASK_AGAIN_MS = 10_000;

/** The first state that `isSo`: asked now, after each of the manager's jobs, and now and then. */
async function waitFor(
  bus: Bus,
  name: string,
  isSo: (state: UnitState | null) => boolean,
): Promise<UnitState | null> {
  const { promise, resolve, reject } = Promise.withResolvers<UnitState | null>();
  const ask = () =>
    unitState(bus, name).then((state) => {
      if (isSo(state)) resolve(state);
    }, reject);
  // Listening comes before asking: nothing can happen in between.
  const stop = bus.onSignal(({ member, body }) => {
    if (member === 'JobRemoved' && body[2] === name) void ask();
  });
  const again = setInterval(ask, ASK_AGAIN_MS);
  void bus.lost.then((error) => {
    reject(new BusLost('Disconnected', `the system bus is gone: ${error.message}`, error));
  });
  try {
    const [state] = await Promise.all([promise, subscribe(bus).then(ask)]);
    return state;
  } finally {
    clearInterval(again);
    stop();
  }
}

async function subscribe(bus: Bus): Promise<void> {
  const rule = `type='signal',sender='${DESTINATION}',interface='${MANAGER.interface}'`;
  await bus.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member: 'AddMatch',
    signature: 's',
    body: [rule],
  });
  try {
    await bus.call({ ...MANAGER, member: 'Subscribe' });
  } catch (error) {
    if (!isNamed(error, 'AlreadySubscribed')) throw error;
  }
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof BusError && error.name.endsWith(`.${name}`);
}
