import type { RunEvent } from '../../machines/events.ts';
import { stateName } from '../../machines/fold.ts';
import type { RunContext } from '../../machines/setup.ts';
import type { Health } from './health.ts';

/** What is known beside a run's snapshot. Times in ms since the epoch. */
export interface HealthContext {
  /** Whether the API server has answered since the start; true in native mode. */
  isConnected: boolean;
  /** null: no run is planned. */
  nextRunMs: number | null;
  /** When what the node does now began. */
  sinceMs: number;
  /** What the run is at and who has the lock, as far as `followRun` has seen. */
  activity: string;
  holder: string;
}

/** As much of a run machine's snapshot as the words need. */
export interface Glance {
  value: unknown;
  context: Pick<RunContext, 'blocked' | 'error'> & { lock: { value: string } };
}

const WAITING = 'waiting for the lock';
const DRAINING = 'draining';

/** By the beginning of a state's name, the longer ones first. */
const WORDS: [state: string, words: string][] = [
  ['starting', 'starting a run'],
  ['acquiring.backoff', 'waiting to ask the API server again'],
  ['acquiring.watch.standby', 'about to take the lock, which came free'],
  ['acquiring.watch.update', 'taking the lock'],
  ['acquiring.update', 'taking the lock'],
  ['acquiring.watch', WAITING],
  ['acquiring', 'asking for the lock'],
  ['locked.verifying', 'checking that the lock is still held by this node'],
  ['locked.draining', DRAINING],
  ['locked.upgrading', 'upgrading'],
  ['locked.reporting', 'reporting to the Node'],
  ['locked.undrained', 'reporting to the Node that it cannot be drained'],
  ['locked.rebooting', 'rebooting'],
  ['locked.rebooted', 'rebooted: clearing the mark of the reboot'],
  ['locked.undoing', 'not rebooted: clearing the mark of the reboot'],
  ['locked.uncordoning', 'uncordoning'],
  ['locked', 'holding the lock'],
  ['releasing.backoff', 'waiting to release the lock, which the API server did not answer'],
  ['releasing', 'releasing the lock'],
  ['interrupted', 'stopped in the middle of a run, which the next start goes on with'],
];

/** Nothing is on in these. */
const ENDED = ['done', 'failed', 'stopped', 'ended'];

/** Before anything was heard of a run, or of the API server. */
export function healthContext(atMs: number, isConnected: boolean): HealthContext {
  return { activity: '', holder: '', nextRunMs: null, isConnected, sinceMs: atMs };
}

/** What the probes are told: a node is ready once its start is over, whatever its run waits for. */
export function healthOf(run: Glance | null, context: HealthContext): Health {
  const words = healthWords(run, context);
  return { words, isAlive: true, isReady: context.isConnected && run?.value !== 'interrupted' };
}

/** In words what the node is doing; `run` is the snapshot of its run, or of the last one. */
export function healthWords(run: Glance | null, context: HealthContext): string {
  const state = run === null ? '' : stateName(run.value);
  if (run === null || ENDED.includes(state)) return idleWords(run, context);
  const since = `since ${time(context.sinceMs)}`;
  const words = wordsFor(state);
  if (words === WAITING) return `${words} held by ${run.context.lock.value} ${since}`;
  const { blocked } = run.context;
  if (words === DRAINING && blocked.length > 0)
    return `${words}: ${blockedWords(blocked)}, ${since}`;
  return `${words} ${since}`;
}

/** A new state of the machine has no words of its own yet, but a name. */
function wordsFor(state: string): string {
  const isOf = (prefix: string) => state === prefix || state.startsWith(`${prefix}.`);
  const [, words] = WORDS.find(([prefix]) => isOf(prefix)) ?? [];
  return words ?? `in state ${state}`;
}

function idleWords(run: Glance | null, { isConnected, nextRunMs, sinceMs }: HealthContext): string {
  if (!isConnected) return `connecting to the API server since ${time(sinceMs)}`;
  if (nextRunMs === null) return run === null ? 'starting' : 'done: no other run is planned';
  const next = `waiting for the next run at ${time(nextRunMs)}`;
  const error = run?.context.error ?? null;
  return error === null ? next : `${next}; the last one failed: ${error.split('\n')[0]}`;
}

function blockedWords([first, ...others]: RunContext['blocked']): string {
  const { pod = '', budget = null } = first ?? {};
  const by = budget === null ? '' : ` by PodDisruptionBudget ${budget}`;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `blocked${by} (pod ${pod}${more})`;
}

/** The context after a record of the run: the state that it led to, when, and by what. */
export function followRun(
  context: HealthContext,
  { state, atMs, event }: { state: string; atMs: number; event?: RunEvent },
): HealthContext {
  const activity = wordsFor(state);
  const holder = event && 'lock' in event ? event.lock.value : context.holder;
  const isOther = activity === WAITING && holder !== context.holder;
  const hasBegun = isOther || activity !== context.activity;
  return {
    ...context,
    activity,
    holder,
    sinceMs: hasBegun ? atMs : context.sinceMs,
  };
}

/** RFC 3339, UTC, to the second. */
function time(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
