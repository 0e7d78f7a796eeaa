import type { Disruption } from '../../machines/events.ts';
import type { Commands } from '../host/commands.ts';
import { LEVELS } from '../log/level.ts';
import { LOG_FORMATS } from '../log/log.ts';
import { parseDuration } from '../schedule/duration.ts';
import { parseSchedule, type Schedule } from '../schedule/schedule.ts';
import { systemZone, zoneInForce } from '../schedule/zone.ts';
import type { RunOptions } from '../service/options.ts';
import type { Names } from '../trace/format.ts';
import { parseAddress } from './address.ts';
import type { FlagValues } from './flags.ts';
import { isLabelSelector } from './label-selector.ts';
import { UsageError } from './usage.ts';

/** Checks what can be checked without touching anything. Throws UsageError. */
export function runOptions(values: FlagValues, env: NodeJS.ProcessEnv): RunOptions {
  const kube = kubeNames(values);
  if (kube === null && values.kubeconfig !== '') {
    throw new UsageError(
      '--kubeconfig is given without a lock to take; add --kube-namespace, --kube-daemonset and --kube-node',
    );
  }
  const zone = usable('', () =>
    zoneInForce({
      option: undefined,
      env: env.TZ,
      system: env.TZ === undefined ? systemZone() : undefined,
    }),
  );
  return {
    schedule: schedule(values.schedule, zone),
    zone,
    windowMs: duration(values, 'schedule-window'),
    configPath: values['config-path'],
    hostMount: values['host-mount'],
    statePath: values['state-path'],
    kubeconfig: values.kubeconfig,
    kube,
    disruption: disruption(values, kube !== null),
    commands: commands(values),
    inspect: inspectAddress(values.inspect),
    healthPort: port(values['health-port']),
    logFormat: oneOf('log-format', values['log-format'], LOG_FORMATS),
    logLevel: oneOf('log-level', values['log-level'], LEVELS),
  };
}

const KUBE_FLAGS = ['kube-namespace', 'kube-daemonset', 'kube-node'] as const;

/** All three, or none: half of them is a mistake, not native mode. */
function kubeNames(values: FlagValues): Names | null {
  const missing = KUBE_FLAGS.filter((name) => values[name] === '');
  if (missing.length === KUBE_FLAGS.length) return null;
  if (missing.length > 0) {
    const names = missing.map((name) => `--${name} (${variable(name)})`).join(' and ');
    throw new UsageError(`${names} not set; give all three of --kube-…, or none for native mode`);
  }
  return {
    namespace: values['kube-namespace'],
    daemonSet: values['kube-daemonset'],
    node: values['kube-node'],
  };
}

function variable(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

function commands(values: FlagValues): Commands {
  const rebootSentinel = values['reboot-sentinel'];
  if (rebootSentinel !== '' && !rebootSentinel.startsWith('/')) {
    throw new UsageError(`--reboot-sentinel=${rebootSentinel}: give an absolute path on the host`);
  }
  return {
    upgrade: values['upgrade-command'],
    rebootRequired: values['reboot-required-command'],
    reboot: values['reboot-command'],
    rebootSentinel,
    securityOnly: values.security === 'true',
  };
}

function inspectAddress(text: string): string | null {
  if (text === '') return null;
  parseAddress('--inspect', text);
  return text;
}

function port(text: string): number | null {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 65_535) return value === 0 ? null : value;
  throw new UsageError(`--health-port=${text}: give a number from 1 to 65535, or 0 for none`);
}

function disruption(values: FlagValues, hasKube: boolean): Disruption {
  const drain = values.drain === 'true';
  const drainBefore = oneOf('drain-before', values['drain-before'], ['reboot', 'upgrade'] as const);
  if (drain && !hasKube) {
    throw new UsageError(
      '--drain is given without a node to drain; add --kube-namespace, --kube-daemonset and --kube-node',
    );
  }
  return {
    reboot: values.reboot === 'true',
    drain,
    drainBefore,
    hardWindow: values['hard-window'] === 'true',
    rebootTimeoutMs: duration(values, 'reboot-timeout'),
    drainTimeoutMs: duration(values, 'drain-timeout'),
    gracePeriodS:
      values['drain-grace-period'] === '' ? null : seconds(values, 'drain-grace-period'),
    podSelector: podSelector(values['drain-pod-selector']),
    skipWaitForDeleteTimeoutS: seconds(values, 'skip-wait-for-delete-timeout'),
  };
}

/** Whole seconds; a number alone is one of seconds, as kubectl has it. */
function seconds(values: FlagValues, name: DurationFlag): number {
  const text = values[name];
  return Math.ceil(duration(values, name, /^\d+$/.test(text) ? `${text}s` : text) / 1_000);
}

function podSelector(text: string): string {
  if (isLabelSelector(text)) return text;
  throw new UsageError(
    `--drain-pod-selector=${text}: give a label selector such as app=web,tier!=db`,
  );
}

function schedule(text: string, zone: string): Schedule | null {
  return text === '' ? null : usable(`--schedule=${text}: `, () => parseSchedule(text, zone));
}

type DurationFlag =
  | 'schedule-window'
  | 'reboot-timeout'
  | 'drain-timeout'
  | 'drain-grace-period'
  | 'skip-wait-for-delete-timeout';

function duration(values: FlagValues, name: DurationFlag, text: string = values[name]): number {
  const ms = usable(`--${name}=${text}: `, () => parseDuration(text));
  // A timer cannot be longer, and no run should wait for a month.
  if (ms > 2 ** 31 - 1) {
    throw new UsageError(`--${name}=${text}: is too long; give at most 596h, or 0 for none`);
  }
  if (ms >= 0) return ms;
  throw new UsageError(`--${name}=${text}: is negative; give a duration such as 1h30m`);
}

/** What `read` gives; its error becomes the caller's mistake. */
function usable<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${where}${(error as Error).message}`);
  }
}

function oneOf<T extends string>(name: string, text: string, known: readonly T[]): T {
  const value = known.find((word) => word === text);
  if (value === undefined) throw new UsageError(`--${name}=${text}: give ${known.join(', ')}`);
  return value;
}
