import { INSPECTOR_ADDRESS } from './address.ts';
import { UsageError } from './usage.ts';

/** One flag of the command line, as parsed and as --help shows it. */
export interface Flag {
  name: string;
  group: string;
  kind: 'text' | 'boolean';
  default: string;
  /** The environment variable that is read where the flag is not given. */
  env?: string;
  /** What stands for the value in --help. */
  value?: string;
  /** What it means without a value; it then takes none from the next argument. */
  alone?: string;
  help: string;
}

const GROUPS = {
  when: 'When',
  host: 'Host',
  kube: 'Kubernetes (all three of the first, or none: native mode)',
  commands: 'Own commands (each also alone: reboots without upgrades)',
  drain: 'Drain (with Kubernetes)',
  log: 'Log and state',
};

/** The flags of `run`. Names, defaults and variables of the original come from it. */
export const RUN_FLAGS = [
  {
    name: 'schedule',
    group: GROUPS.when,
    kind: 'text',
    default: '',
    value: 'CRON',
    help: 'five fields, or @daily, @every 1h30m …; none: run once and end',
  },
  {
    name: 'schedule-window',
    group: GROUPS.when,
    kind: 'text',
    default: '1h',
    value: 'DURATION',
    help: 'how long after its tick a run may wait for the lock; 0: without end',
  },
  {
    name: 'hard-window',
    group: GROUPS.when,
    kind: 'boolean',
    default: 'false',
    help: 'past the window no drain and no reboot begins; it is first in the next one',
  },
  {
    name: 'config-path',
    group: GROUPS.host,
    kind: 'text',
    default: '/etc/host-upgrades',
    value: 'DIR',
    help: 'mounted ConfigMap, for example with unattended-upgrades.conf',
  },
  {
    name: 'host-mount',
    group: GROUPS.host,
    kind: 'text',
    default: '/run/host-upgrades',
    value: 'DIR',
    help: 'shared with the host, same path; a reboot empties it',
  },
  {
    name: 'reboot',
    group: GROUPS.host,
    kind: 'boolean',
    default: 'false',
    help: 'reboot the host where its upgrades require it',
  },
  {
    name: 'reboot-timeout',
    group: GROUPS.host,
    kind: 'text',
    default: '5m',
    value: 'DURATION',
    help: 'how long the host may take to shut down',
  },
  {
    name: 'drain',
    group: GROUPS.drain,
    kind: 'boolean',
    default: 'false',
    help: 'drain the node before a reboot, uncordon it after',
  },
  {
    name: 'drain-before',
    group: GROUPS.drain,
    kind: 'text',
    default: 'reboot',
    value: 'STEP',
    help: 'reboot, or upgrade: drained before packages are touched',
  },
  {
    name: 'drain-timeout',
    group: GROUPS.drain,
    kind: 'text',
    default: '15m',
    value: 'DURATION',
    help: 'then the node is uncordoned, and the next tick tries again; 0: none',
  },
  {
    name: 'drain-grace-period',
    group: GROUPS.drain,
    kind: 'text',
    default: '',
    value: 'DURATION',
    help: 'for each pod to end (default: the pod’s own)',
  },
  {
    name: 'drain-pod-selector',
    group: GROUPS.drain,
    kind: 'text',
    default: '',
    value: 'SELECTOR',
    help: 'evict only the pods with these labels',
  },
  {
    name: 'skip-wait-for-delete-timeout',
    group: GROUPS.drain,
    kind: 'text',
    default: '0',
    value: 'DURATION',
    help: 'do not wait for pods deleted longer ago than this; 0: wait for all',
  },
  {
    name: 'security',
    group: GROUPS.host,
    kind: 'boolean',
    default: 'false',
    help: 'security updates alone (dnf, zypper)',
  },
  {
    name: 'upgrade-command',
    group: GROUPS.commands,
    kind: 'text',
    default: '',
    value: 'SHELL',
    help: 'shell, on the host, instead of its package manager',
  },
  {
    name: 'reboot-required-command',
    group: GROUPS.commands,
    kind: 'text',
    default: '',
    value: 'SHELL',
    help: 'exit status 0: required, 1: not, other: unknown',
  },
  {
    name: 'reboot-sentinel',
    group: GROUPS.commands,
    kind: 'text',
    default: '',
    value: 'FILE',
    help: 'a file on the host that asks for a reboot',
  },
  {
    name: 'reboot-command',
    group: GROUPS.commands,
    kind: 'text',
    default: '',
    value: 'SHELL',
    help: 'shell, on the host, instead of asking logind',
  },
  {
    name: 'kube-namespace',
    group: GROUPS.kube,
    kind: 'text',
    default: '',
    env: 'KUBE_NAMESPACE',
    value: 'NAME',
    help: 'namespace of the DaemonSet that carries the lock',
  },
  {
    name: 'kube-daemonset',
    group: GROUPS.kube,
    kind: 'text',
    default: '',
    env: 'KUBE_DAEMONSET',
    value: 'NAME',
    help: 'its name',
  },
  {
    name: 'kube-node',
    group: GROUPS.kube,
    kind: 'text',
    default: '',
    env: 'KUBE_NODE',
    value: 'NAME',
    help: 'name of this Node (spec.nodeName of the pod)',
  },
  {
    name: 'kubeconfig',
    group: GROUPS.kube,
    kind: 'text',
    default: '',
    value: 'FILE',
    help: 'the way to the cluster; none: the service account of the pod, else KUBECONFIG',
  },
  {
    name: 'state-path',
    group: GROUPS.log,
    kind: 'text',
    default: '/var/lib/host-upgrades',
    value: 'DIR',
    help: 'where the journal is kept; must survive a reboot',
  },
  {
    name: 'health-port',
    group: GROUPS.log,
    kind: 'text',
    default: '0',
    value: 'PORT',
    help: '/healthz and /readyz there, in words; 0: none',
  },
  {
    name: 'inspect',
    group: GROUPS.log,
    kind: 'text',
    default: '',
    alone: INSPECTOR_ADDRESS,
    value: 'HOST:PORT',
    help: `shows this agent in a browser, read-only; without a value at ${INSPECTOR_ADDRESS}`,
  },
  {
    name: 'log-format',
    group: GROUPS.log,
    kind: 'text',
    default: 'auto',
    value: 'FORMAT',
    help: 'pretty, json, classic; auto: pretty on a terminal, else classic',
  },
  {
    name: 'log-level',
    group: GROUPS.log,
    kind: 'text',
    default: 'info',
    value: 'LEVEL',
    help: 'debug, info, warn, error',
  },
] as const satisfies Flag[];

export type FlagValues = Record<(typeof RUN_FLAGS)[number]['name'], string>;

/**
 * Parses flags as Go does: `-flag` and `--flag`, `--flag=value` and `--flag value`, booleans
 * without a value or with `=false`. Values not given come from the environment, then the default.
 */
export function parseFlags(args: string[], env: NodeJS.ProcessEnv): FlagValues {
  const flags: readonly Flag[] = RUN_FLAGS;
  const given = new Map<string, string>();
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const match = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg);
    if (!match) throw new UsageError(`unexpected argument ${arg}; flags begin with --, see --help`);
    const [, name = '', inline] = match;
    const flag = flags.find((known) => known.name === name);
    if (!flag) throw new UsageError(`unknown flag --${name}${suggestion(name)}; see --help`);
    if (flag.kind === 'boolean') {
      given.set(name, boolean(name, inline ?? 'true'));
      continue;
    }
    const value = inline ?? flag.alone ?? args[index + 1];
    if (value === undefined)
      throw new UsageError(`--${name} needs a value: --${name}=${flag.value}`);
    if (inline === undefined && flag.alone === undefined) index += 1;
    given.set(name, value);
  }
  const value = ({ name, env: variable, default: otherwise }: Flag) =>
    given.get(name) ?? (variable === undefined ? undefined : env[variable]) ?? otherwise;
  return Object.fromEntries(flags.map((flag) => [flag.name, value(flag)])) as FlagValues;
}

/** The words that Go's flag package takes for a boolean. */
const BOOLEANS: Record<string, string> = {
  '1': 'true',
  t: 'true',
  T: 'true',
  true: 'true',
  TRUE: 'true',
  True: 'true',
  '0': 'false',
  f: 'false',
  F: 'false',
  false: 'false',
  FALSE: 'false',
  False: 'false',
};

function boolean(name: string, text: string): string {
  const value = BOOLEANS[text];
  if (value === undefined) throw new UsageError(`--${name}=${text}: give true or false`);
  return value;
}

/** The flag that was probably meant: at most two edits away, or beginning the same way. */
function suggestion(name: string): string {
  const names = RUN_FLAGS.map((flag) => flag.name);
  const near = names
    .map((known) => ({ known, edits: distance(known, name) }))
    .filter(({ edits }) => edits <= 2)
    .sort((a, b) => a.edits - b.edits)[0];
  const found = near?.known ?? names.find((known) => known.startsWith(name));
  return found === undefined ? '' : ` (did you mean --${found}?)`;
}

/** How many letters must be inserted, deleted or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
