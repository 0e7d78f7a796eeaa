import { hostname } from 'node:os';
import type { V1Node } from '@kubernetes/client-node';
import type { Disruption } from '../../machines/events.ts';
import { openHost } from '../host/host.ts';
import type { RunClock } from '../journal/live.ts';
import { kubeActors } from '../kube/actors.ts';
import { createClient, type KubeClient } from '../kube/client.ts';
import { loadKubeConfig } from '../kube/config.ts';
import { createNode } from '../kube/node.ts';
import type { Log } from '../log/log.ts';
import { formatScheduleLine } from '../schedule/lines.ts';
import { windowWarning } from '../schedule/window.ts';
import { version } from '../version.ts';
import { JoinError, type Joined, joinCluster } from './cluster.ts';
import { type HealthServer, startHealth } from './health.ts';
import type { RunOptions } from './options.ts';
import { createRunner, nativeActors, type RunActors } from './runner.ts';
import { runOnce, runScheduled } from './service.ts';
import { openState, type State } from './state.ts';
import { unfinishedRun } from './unfinished.ts';
import { watchHealth } from './vitals.ts';
import type { Watcher } from './watcher.ts';

const CLOCK: RunClock = {
  nowMs: Date.now,
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/**
 * The whole service, from its first line to its end. Everything that can be refused is, before
 * anything is changed. Throws ClusterError, HostError, KubeConfigError and StateError.
 */
export async function start(
  options: RunOptions,
  log: Log,
  stop: AbortSignal,
  watcher?: Watcher,
): Promise<'succeeded' | 'failed' | 'stopped'> {
  const sinceMs = Date.now();
  const { schedule, windowMs, zone, kube, disruption } = options;
  log.say('info', `host-upgrades version ${version()} (Node ${process.version})`);
  const warning = schedule && windowWarning(schedule, windowMs, sinceMs);
  if (warning) log.say('warn', warning);
  const config = kube && (await loadKubeConfig(options.kubeconfig, process.env));
  const host = await openHost({
    mount: options.hostMount,
    configPath: options.configPath,
    commands: options.commands,
    log: (text) => log.say('info', text),
    warn: (text) => log.say('warn', text),
  });
  const vitals = watchHealth({ isConnected: kube === null, schedule });
  const client = config && createClient(config, { userAgent: `host-upgrades/${version()}` });
  let state: State | null = null;
  let health: HealthServer | null = null;
  try {
    if (options.healthPort !== null) {
      health = await startHealth({ port: options.healthPort, state: vitals.state });
    }
    if (!schedule) log.say('info', formatScheduleLine({ id: 'schedule.none' }, zone));
    state = await openState(options.statePath, (text) => log.say('warn', text));
    const { journal } = state;
    const names = kube ?? { namespace: '', daemonSet: '', node: hostname() };
    await watcher?.begin(names);
    const unfinished = unfinishedRun(journal, names, log);
    if (kube) {
      log.say(
        'info',
        `Using --kube-namespace=${kube.namespace} --kube-daemonset=${kube.daemonSet} --kube-node=${kube.node}`,
      );
    }
    const joined: Joined | null =
      kube && client
        ? await joinCluster({
            client,
            names: kube,
            log,
            clock: CLOCK,
            stop,
            isUpgrading: host.isUpgrading,
            hasUnfinished: unfinished !== null,
            isPatient: schedule !== null,
            disruption,
          })
        : { before: null, nodes: 1 };
    if (joined === null || stop.aborted) return 'stopped';
    vitals.connected();
    log.say('info', disruptionLine(disruption));
    const runner = createRunner({
      names,
      version: version(),
      journal,
      clock: CLOCK,
      log,
      kubeActors: client
        ? clusterActors(client, names.node, joined.node, log)
        : nativeActors(CLOCK),
      upgradeHost: host.upgrade,
      rebootHost: host.reboot,
      disruption,
      boot: host.info,
      onRecord(record) {
        vitals.onRecord(record);
        watcher?.onRecord(record);
      },
      nodes: joined.nodes,
    });
    vitals.follow(runner);
    const beginning = { unfinished, before: joined.before };
    const ports = { runner, log, clock: CLOCK, stop };
    if (schedule) {
      await runScheduled(
        beginning,
        { schedule, windowMs, zone, sinceMs, isHard: disruption.hardWindow },
        ports,
      );
      return 'stopped';
    }
    const succeeded = await runOnce(beginning, ports);
    if (succeeded === null) return 'stopped';
    return succeeded ? 'succeeded' : 'failed';
  } catch (error) {
    if (!(error instanceof JoinError)) throw error;
    log.say('error', error.message);
    return 'failed';
  } finally {
    await health?.close();
    state?.close();
    host.close();
    await client?.close();
  }
}

function clusterActors(
  client: KubeClient,
  name: string,
  known: V1Node | undefined,
  log: Log,
): RunActors {
  const warn = (text: string) => log.say('warn', text);
  return kubeActors({ client, node: createNode(client, name, Date.now, warn, known), warn });
}

function disruptionLine({ reboot, drain }: Disruption): string {
  if (!reboot) return 'Skipping host reboot after upgrades';
  return drain
    ? 'Using --reboot --drain, will drain kube node and reboot host after upgrades if required'
    : 'Using --reboot, will reboot host after upgrades if required';
}
