import type { Observable } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import { disruptionOf } from '../../machines/setup.ts';
import type { JournalFile } from '../../src/journal/file.ts';
import type { RunClock } from '../../src/journal/live.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import { kubeActors } from '../../src/kube/actors.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createNode } from '../../src/kube/node.ts';
import { ClusterError } from '../../src/kube/preflight.ts';
import type { Log } from '../../src/log/log.ts';
import type { Random } from '../../src/rehearsal/random.ts';
import { everySchedule } from '../../src/schedule/every.ts';
import { type Joined, joinCluster } from '../../src/service/cluster.ts';
import { createRunner, nativeActors } from '../../src/service/runner.ts';
import { runScheduled } from '../../src/service/service.ts';
import { unfinishedRun } from '../../src/service/unfinished.ts';
import type { SimulatedHost } from './host.ts';
import type { Arguments, Plan } from './plan.ts';

export interface ProcessOptions {
  plan: Plan;
  /** What this process is told otherwise. */
  told: Arguments;
  names: { namespace: string; daemonSet: string; node: string };
  client: KubeClient;
  journal: JournalFile;
  clock: RunClock;
  host: SimulatedHost;
  random: Random;
  log: Log;
  stop: AbortSignal;
  /** An effect on the host; it throws away what the process was about to do where that has died. */
  effect(what: 'upgrades' | 'reboots', begin: () => Observable<RunEvent>): Observable<RunEvent>;
  onRecord(record: JournalRecord): void;
}

const NO_LOCK = { namespace: '', daemonSet: '' };

/**
 * host-upgrades on one node, as its own start-up puts it together, with everything behind its
 * ports simulated. Resolves when it has stopped; `exited`: as a process that gives up.
 */
export async function runProcess(options: ProcessOptions): Promise<'stopped' | 'exited'> {
  const { plan, told, client, journal, clock, host, random, log, stop } = options;
  const { windowMs, reboot, drain, drainBefore, hardWindow, isNative = false } = plan;
  const { drainTimeoutMs, rebootTimeoutMs } = { ...disruptionOf({}), ...plan };
  const disruption = {
    ...disruptionOf({}),
    ...{ reboot, drain, drainBefore, hardWindow, drainTimeoutMs, rebootTimeoutMs },
    ...told,
  };
  const names = isNative ? { ...options.names, ...NO_LOCK } : options.names;
  const sinceMs = clock.nowMs();
  const boot = host.boot();
  const unfinished = unfinishedRun(journal, names, log);
  try {
    const joined = isNative
      ? { before: null, nodes: 1 }
      : await joinCluster({
          client,
          names,
          log,
          clock,
          stop,
          isUpgrading: async () => host.isUpgrading(),
          hasUnfinished: unfinished !== null,
          isPatient: true,
          disruption,
        });
    if (joined === null || stop.aborted) return 'stopped';
    const warn = (text: string) => log.say('warn', text);
    const kube = ({ node }: Joined) =>
      kubeActors({
        client,
        node: createNode(client, names.node, clock.nowMs, warn, node),
        warn,
        clock,
        wall: clock,
      });
    const runner = createRunner({
      names,
      version: 'simulation',
      journal,
      clock,
      log,
      kubeActors: isNative ? nativeActors(clock) : kube(joined),
      upgradeHost: (run, resumed) => options.effect('upgrades', () => host.upgrade(run, resumed)),
      rebootHost: () => options.effect('reboots', () => host.reboot()),
      disruption,
      boot,
      onRecord: options.onRecord,
      nodes: joined.nodes,
      entropy: {
        seed: () => random.between(0, 2 ** 31 - 1),
        suffix: () => random.between(0, 0xffffff).toString(16).padStart(6, '0'),
      },
    });
    const period = `${plan.periodMs / 1_000}s`;
    await runScheduled(
      { unfinished, before: joined.before },
      {
        schedule: everySchedule(`@every ${period}`, period),
        windowMs,
        zone: 'UTC',
        sinceMs,
        isHard: hardWindow,
      },
      { runner, log, clock, stop },
    );
    return 'stopped';
  } catch (error) {
    // One line and exit 2; the kubelet starts it again.
    if (!(error instanceof ClusterError)) throw error;
    log.say('error', error.message);
    return 'exited';
  }
}
