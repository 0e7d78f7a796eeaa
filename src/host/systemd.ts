import { Variant } from '@jellybrick/dbus-next';
import { type Bus, BusError } from './bus.ts';

const DESTINATION = 'org.freedesktop.systemd1';
const MANAGER = {
  destination: DESTINATION,
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
};
const UNIT = 'org.freedesktop.systemd1.Unit';
const SERVICE = 'org.freedesktop.systemd1.Service';

export interface TransientUnit {
  name: string;
  description: string;
  /** Absolute path of the program, then its arguments. */
  command: string[];
  environment: Record<string, string>;
}

/** How a unit ended. */
export interface UnitResult {
  /** systemd's word: success, exit-code, signal, timeout, oom-kill … */
  result: string;
  /** The main process's exit code, or the signal's number where a signal ended it. */
  exitStatus: number;
}

export interface UnitState {
  /** active, activating, inactive, failed … */
  activeState: string;
  /** The process's environment as the unit was made with: `NAME=value`. */
  environment: string[];
  invocationId: string;
}

/** The state of a unit, or null where it is not loaded. Throws BusError. */
export async function unitState(bus: Bus, name: string): Promise<UnitState | null> {
  const path = await unitPath(bus, name);
  if (path === null) return null;
  const activeState = (await property(bus, path, UNIT, 'ActiveState')) as string;
  const invocation = (await property(bus, path, UNIT, 'InvocationID')) as Uint8Array;
  const environment = (await property(bus, path, SERVICE, 'Environment')) as string[];
  return { activeState, environment, invocationId: Buffer.from(invocation).toString('hex') };
}

export function isRunning(state: UnitState | null): boolean {
  return state !== null && ['active', 'activating', 'deactivating'].includes(state.activeState);
}

/**
 * Starts a transient oneshot unit: it belongs to systemd and outlives this process. A failed unit
 * of that name is reset first, else it is "already loaded". Throws BusError.
 */
export async function startUnit(bus: Bus, unit: TransientUnit): Promise<void> {
  await resetFailed(bus, unit.name);
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
  await bus.call(call);
}

async function resetFailed(bus: Bus, name: string): Promise<void> {
  const state = await unitState(bus, name);
  if (state?.activeState === 'failed') {
    await bus.call({ ...MANAGER, member: 'ResetFailedUnit', signature: 's', body: [name] });
  } else if (state?.activeState === 'active') {
    // Done and remaining: its end was told, or belongs to a run that nobody remembers.
    await stopUnit(bus, name);
  }
}

/** Ends a unit and waits until it is. */
async function stopUnit(bus: Bus, name: string): Promise<void> {
  const gone = waitFor(bus, name, (state) => !isRunning(state));
  await bus.call({ ...MANAGER, member: 'StopUnit', signature: 'ss', body: [name, 'fail'] });
  await gone;
}

/**
 * Waits until the unit's program has ended, and says how. Works for a unit of this process, of an
 * earlier one, and for one that has ended before. Throws BusError where it is not loaded.
 */
export async function unitEnded(bus: Bus, name: string): Promise<UnitResult> {
  await waitFor(bus, name, (state) => state?.activeState !== 'activating');
  const path = await unitPath(bus, name);
  if (path === null) throw new BusError('NoSuchUnit', `${name} is gone, and with it its result`);
  return {
    result: (await property(bus, path, SERVICE, 'Result')) as string,
    exitStatus: (await property(bus, path, SERVICE, 'ExecMainStatus')) as number,
  };
}

/** The bus does not say when it was closed: without a signal it is asked this often. */
const ASK_AGAIN_MS = 10_000;

/** Resolves once `isSo`; asked now, after each of the manager's signals about a job, and now and then. */
async function waitFor(
  bus: Bus,
  name: string,
  isSo: (state: UnitState | null) => boolean,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const ask = () =>
    unitState(bus, name).then((state) => {
      if (isSo(state)) resolve();
    }, reject);
  // Listening comes before asking: nothing can happen in between.
  const stop = bus.onSignal(({ member, body }) => {
    if (member === 'JobRemoved' && body[2] === name) void ask();
  });
  const again = setInterval(ask, ASK_AGAIN_MS);
  try {
    await subscribe(bus);
    void ask();
    await Promise.race([promise, bus.lost.then((error) => Promise.reject(error))]);
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
    if (!(error instanceof BusError) || !error.name.endsWith('AlreadySubscribed')) throw error;
  }
}

async function unitPath(bus: Bus, name: string): Promise<string | null> {
  try {
    const body = [name];
    const [path] = await bus.call({ ...MANAGER, member: 'GetUnit', signature: 's', body });
    return path as string;
  } catch (error) {
    if (error instanceof BusError && error.name.endsWith('NoSuchUnit')) return null;
    throw error;
  }
}

async function property(bus: Bus, path: string, of: string, name: string): Promise<unknown> {
  const [value] = await bus.call({
    destination: DESTINATION,
    path,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    signature: 'ss',
    body: [of, name],
  });
  return (value as Variant).value;
}
