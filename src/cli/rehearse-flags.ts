import { parseArgs } from 'node:util';
import { DEFAULT_FAULTS, FAULTS } from '../rehearsal/faults.ts';
import { UsageError } from './usage.ts';

export interface RehearseFlags {
  nodes: number;
  seed: number;
  /** Virtual ms in a real one; 0: as fast as possible. */
  speed: number;
  faults: string[];
  reboot: boolean;
  drain: boolean;
  format: 'text' | 'json';
  /** Where each node's journal is kept, or null. */
  journalDir: string | null;
  /** Shown in the inspector, at HOST:PORT where that is given. */
  inspect: { address: string | null } | null;
}

const MAX_NODES = 500;
const MAX_SEED = 2 ** 32 - 1;
/** Slower, and a quiet watch would outlast what an HTTP client allows. */
const MIN_SPEED = 0.1;

const faultLines = Object.entries(FAULTS)
  .map(([name, { about }]) => `                ${name.padEnd(14)}  ${about}\n`)
  .join('');

export const REHEARSE_HELP = `host-upgrades rehearse: a whole rollout in this process, with simulated hosts

Usage:
  host-upgrades rehearse [--nodes N] [--seed S] [--speed F] [--fault NAME,...]
                         [--reboot [--drain]] [--format=text|json]
                         [--journal-dir DIR] [--inspect[=HOST:PORT]]

Options:
  --nodes N     how many nodes, 1 to ${MAX_NODES} (default 3)
  --seed S      a whole number (default 1); the same one, the same rollout
  --speed F     how many times faster than life (default 1), or max
  --reboot      the upgrades require reboots, and the hosts are rebooted
  --drain       with it, pods are evicted first, as their budgets allow
  --fault NAME  what goes wrong instead of ${DEFAULT_FAULTS.join(', ')}; may be given again:
${faultLines}  --format      text (default); json: the nodes' journal records, one a line
  --journal-dir DIR   keeps each node's journal as DIR/NODE.ndjson, for replay
  --inspect[=HOST:PORT]  shows it in a browser as it goes, with pause and step,
                and stays until Ctrl-C (default 127.0.0.1:7788)

Exit codes: 0 it went as it has to, 1 it did not, 2 bad usage, 130 interrupted
`;

/** Throws UsageError for what is no valid flag. */
export function rehearseFlags(args: string[]): RehearseFlags {
  const isInspect = (arg: string) => /^--inspect(=|$)/.test(arg);
  // With or without a value: parseArgs knows no such flag.
  const values = parse(args.filter((arg) => !isInspect(arg)));
  const [, address] = /^--inspect(?:=(.*))?$/s.exec(args.findLast(isInspect) ?? '') ?? [];
  const format = values.format ?? 'text';
  if (format !== 'text' && format !== 'json') {
    throw new UsageError(`rehearse --format=${format}: give text or json`);
  }
  const { reboot = false, drain = false } = values;
  if (drain && !reboot)
    throw new UsageError('rehearse --drain: nothing is drained without a reboot; add --reboot');
  return {
    nodes: whole('nodes', values.nodes ?? '3', 1, MAX_NODES),
    seed: whole('seed', values.seed ?? '1', 0, MAX_SEED),
    speed: speed(values.speed ?? '1'),
    faults: faults(values.fault ?? [], { reboot, drain }),
    reboot,
    drain,
    format,
    journalDir: values['journal-dir'] ?? null,
    inspect: args.some(isInspect) ? { address: address ?? null } : null,
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      options: {
        nodes: text,
        seed: text,
        speed: text,
        reboot: { type: 'boolean' },
        drain: { type: 'boolean' },
        fault: { type: 'string', multiple: true },
        format: text,
        'journal-dir': text,
      },
    }).values;
  } catch (error) {
    const [message = ''] = (error as Error).message.split('\n');
    throw new UsageError(`rehearse: ${message.split('. ')[0]}; see rehearse --help`);
  }
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`rehearse --${name}=${text}: give a whole number from ${least} to ${most}`);
}

function speed(text: string): number {
  if (text === 'max' || text === '0') return 0;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= MIN_SPEED && Number.isFinite(value)) return value;
  throw new UsageError(`rehearse --speed=${text}: give a number of ${MIN_SPEED} or more, or max`);
}

function faults(given: string[], has: Record<'reboot' | 'drain', boolean>): string[] {
  const names = given.flatMap((list) => list.split(','));
  for (const name of names) {
    const needs = FAULTS[name]?.needs;
    if (needs !== undefined && !has[needs]) {
      throw new UsageError(
        `rehearse --fault=${name}: add --reboot${needs === 'drain' ? ' --drain' : ''}`,
      );
    }
    if (Object.hasOwn(FAULTS, name)) continue;
    throw new UsageError(`rehearse --fault=${name}: give one of ${Object.keys(FAULTS).join(', ')}`);
  }
  return names.length === 0 ? DEFAULT_FAULTS : [...new Set(names)];
}
