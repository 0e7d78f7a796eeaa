import { Variant } from '@jellybrick/dbus-next';
import { type Bus, BusError, BusLost, type Call, type Signal } from '../../src/host/bus.ts';

export const LOST = new BusLost('Disconnected', 'the system bus is gone: for a test');

/** What goes wrong once, before or after a call of that member has been carried out. */
export interface Fault {
  member: string;
  when: 'before' | 'after';
  error: Error;
}

/** A systemd with one unit, as far as an upgrade asks. */
export class FakeSystemd {
  /** The unit's properties, or null where it is not loaded. */
  unit: Record<string, unknown> | null = null;
  /** The state and result that a unit has once it was started. */
  started = 'active';
  result = 'success';
  starts = 0;
  /** Asked so often, a started unit's job is still in the queue. */
  queued = 0;
  faults: Fault[] = [];
  /** Connections so far, and those still open. */
  connections = 0;
  open = 0;
  /** Called when a call was answered; when a connection was closed. */
  onAnswer = (_member: string) => {};
  onClose = () => {};
  /** Called when the unit is started. */
  readonly onStart: () => void;

  constructor(onStart: () => void) {
    this.onStart = onStart;
  }

  connect = async (): Promise<Bus> => {
    this.connections += 1;
    this.open += 1;
    let isOpen = true;
    const { promise: lost, resolve } = Promise.withResolvers<Error>();
    return {
      lost,
      onSignal: (listener) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
      close: () => {
        isOpen = false;
        this.open -= 1;
        resolve(new Error('closed'));
        this.onClose();
      },
      call: async (call) => {
        if (!isOpen) throw LOST;
        this.fail(call.member, 'before');
        const reply = this.answer(call);
        this.fail(call.member, 'after');
        this.onAnswer(call.member);
        return reply;
      },
    };
  };

  private readonly listeners = new Set<(signal: Signal) => void>();

  private fail(member: string, when: string): void {
    const index = this.faults.findIndex((fault) => fault.member === member && fault.when === when);
    if (index >= 0) throw this.faults.splice(index, 1)[0]?.error;
  }

  /** The next time it is asked about the job is further on. */
  private dequeue(): void {
    this.queued -= 1;
    const body = [1, '/job', 'host-upgrades.service', 'done'];
    setImmediate(() => {
      for (const listener of this.listeners) listener({ path: '/', member: 'JobRemoved', body });
    });
  }

  private answer({ member, body = [] }: Call): unknown[] {
    switch (member) {
      case 'GetUnit':
        if (this.unit === null) throw new BusError('org.freedesktop.systemd1.NoSuchUnit', 'no');
        return ['/unit'];
      case 'GetAll': {
        const isQueued = this.queued > 0;
        if (isQueued) this.dequeue();
        const waiting = { ActiveState: 'inactive', SubState: 'dead', Job: [1, '/job'] };
        const entries = Object.entries({ ...this.unit, ...(isQueued ? waiting : {}) });
        return [Object.fromEntries(entries.map(([key, value]) => [key, new Variant('v', value)]))];
      }
      case 'Get':
        return [new Variant('b', false)];
      case 'StartTransientUnit': {
        const properties = new Map(body[2] as [string, Variant][]);
        this.starts += 1;
        this.unit = {
          ActiveState: this.started,
          SubState: this.started === 'active' ? 'exited' : this.started,
          Job: [0, '/'],
          Environment: properties.get('Environment')?.value,
          InvocationID: Buffer.alloc(16),
          InactiveExitTimestamp: 0n,
          RemainAfterExit: true,
          Result: this.result,
          ExecMainStatus: this.result === 'success' ? 0 : 1,
        };
        this.onStart();
        return ['/job'];
      }
      case 'StopUnit':
      case 'ResetFailedUnit':
        this.unit = null;
        return ['/job'];
      default:
        return [];
    }
  }
}
