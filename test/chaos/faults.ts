import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { MERGE_PATCH } from '../kube/objects.ts';
import { administratorKey } from './facts.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Fault, Target } from './plan.ts';
import type { createThrottle } from './throttle.ts';

export interface FaultPorts {
  fleet: Fleet;
  throttle: Awaited<ReturnType<typeof createThrottle>>;
  /** The node that the lock names, or ''. */
  holder(): string;
  say(text: string): void;
  /** Aborted when faults are over: what is under way is ended early. */
  over: AbortSignal;
}

/** Carries out faults; those of the control plane one after the other. */
export interface Faults {
  /** Resolves when the fault is over. */
  inflict(fault: Fault): Promise<void>;
}

export function createFaults(ports: FaultPorts): Faults {
  const { fleet, throttle, say, over } = ports;
  const { cluster, recorder, members } = fleet;
  let controlPlane: Promise<void> = Promise.resolve();
  const serially = (what: () => Promise<void>): Promise<void> => {
    controlPlane = controlPlane.then(what);
    return controlPlane;
  };
  const pause = (forMs: number) => wait(forMs, over);
  const chosen = (target: Target): Member[] => {
    if (target === 'all') return members;
    const holding = members.find(({ name }) => name === ports.holder());
    const one = target === 'holder' ? (holding ?? members[0]) : members[target];
    return one ? [one] : [];
  };
  const restartServer = async (signal: NodeJS.Signals, meanwhile: () => Promise<void> | void) => {
    await cluster.stopApiServer(signal);
    await meanwhile();
    await cluster.startApiServer();
  };
  /** A mode of the proxies, for a time. */
  const during = async (
    some: Member[],
    forMs: number,
    begin: (member: Member) => void,
    end: (member: Member) => void,
  ) => {
    some.forEach(begin);
    await pause(forMs);
    some.forEach(end);
  };

  const carryOut = async (fault: Fault, some: Member[]): Promise<void> => {
    switch (fault.kind) {
      case 'kill':
        return some.forEach(({ agent }) => {
          agent.kill(fault.downMs);
        });
      case 'restart':
        return some.forEach(({ agent }) => {
          agent.restart(fault.downMs);
        });
      case 'pause':
        return during(
          some,
          fault.forMs,
          ({ agent }) => agent.pause(),
          ({ agent }) => agent.resume(),
        );
      case 'power':
        return some.forEach(({ host }) => {
          host.losePower(fault.downMs);
        });
      case 'wipe':
        return some.forEach(({ agent }) => {
          agent.wipe(fault.downMs);
        });
      case 'reset':
        return some.forEach(({ proxy }) => {
          proxy.reset();
        });
      case 'close':
        return some.forEach(({ proxy }) => {
          proxy.end();
        });
      case 'half-close':
        return some.forEach(({ proxy }) => {
          proxy.halfClose();
        });
      case 'freeze':
        return some.forEach(({ proxy }) => {
          proxy.freeze();
        });
      case 'delay':
        return during(
          some,
          fault.forMs,
          ({ proxy }) => proxy.set({ delayMs: fault.delayMs }),
          ({ proxy }) => proxy.set({ delayMs: 0 }),
        );
      case 'refuse':
        return during(
          some,
          fault.forMs,
          ({ proxy }) => {
            proxy.set({ isRefusing: true });
            proxy.reset();
          },
          ({ proxy }) => proxy.set({ isRefusing: false }),
        );
      case 'black-hole':
        return during(
          some,
          fault.forMs,
          ({ proxy }) => {
            proxy.set({ isSilent: true });
            proxy.freeze();
          },
          ({ proxy }) => proxy.set({ isSilent: false }),
        );
      case 'api-kill':
      case 'api-terminate': {
        const signal = fault.kind === 'api-kill' ? 'SIGKILL' : 'SIGTERM';
        return serially(() => restartServer(signal, () => pause(fault.downMs)));
      }
      case 'compact':
        return serially(() => recorder.compact());
      case 'compact-restart':
        return serially(() => restartServer('SIGKILL', () => recorder.compact()));
      case 'certificate':
        return serially(async () => {
          // Without one it makes itself another one.
          await restartServer('SIGKILL', () =>
            rmSync(dirname(cluster.files.ca), { recursive: true }),
          );
          await pause(fault.lateMs);
          for (const { credentials } of members) credentials.renewAuthority();
        });
      case 'token':
        return during(
          some,
          fault.forMs,
          (member) => {
            member.isTokenHeldBack = true;
            member.credentials.renewToken(-30);
          },
          (member) => {
            member.isTokenHeldBack = false;
            member.credentials.renewToken();
          },
        );
      case 'throttle':
        return serially(async () => {
          await throttle.begin();
          await pause(fault.forMs);
          await throttle.end();
        });
      case 'cordon':
        return serially(() => cordon(some[0]?.name ?? '', fault.forMs));
    }
  };

  /** A node that is not cordoned, so that its cordon is the administrator's alone. */
  const cordon = async (node: string, forMs: number) => {
    const path = `/api/v1/nodes/${node}`;
    const { body } = await cluster.request(path);
    if (body.spec.unschedulable === true) return say(`${node} is cordoned already`);
    const patch = (unschedulable: true | null, resourceVersion?: string) =>
      cluster.request(path, {
        method: 'PATCH',
        type: MERGE_PATCH,
        body: { metadata: { resourceVersion }, spec: { unschedulable } },
      });
    await recorder.put(administratorKey(node), 'cordon');
    const { status } = await patch(true, body.metadata.resourceVersion);
    if (status === 200) await pause(forMs);
    else say(`${node} was changed meanwhile (${status})`);
    // The agent may have cordoned it in the meantime: then that is not the administrator's to end.
    await recorder.put(administratorKey(node), 'uncordon');
    if (status === 200) await patch(null);
  };

  return {
    async inflict(fault) {
      const some = 'target' in fault ? chosen(fault.target) : [];
      const on = some.length === members.length ? 'all' : some.map(({ name }) => name).join(' ');
      const more = Object.entries(fault)
        .filter(([key]) => key.endsWith('Ms') && key !== 'atMs')
        .map(([key, value]) => ` ${key}=${value}`);
      say(`${fault.kind}${on === '' ? '' : ` ${on}`}${more.join('')}`);
      await carryOut(fault, some);
    },
  };
}

/** Resolves after `forMs`, or as soon as `signal` is aborted. */
export function wait(forMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, forMs);
    signal?.addEventListener('abort', end, { once: true });
  });
}
