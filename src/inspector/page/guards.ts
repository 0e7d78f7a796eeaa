import { type AnyStateMachine, and, not, or } from 'xstate';
import type { RunEvent } from '../../../machines/events.ts';
import type { RunSnapshot } from '../../../machines/fold.ts';
import { RESUME_POINTS } from './resume-points.ts';

/** `depends`: on what the event carries. */
export type Verdict = 'holds' | 'fails' | 'depends';

type Check = (args: unknown) => unknown;
type Composed = ((...args: unknown[]) => unknown) & { check: unknown; guards: unknown[] };

/** What xstate's `and`, `or` and `not` make differs in its check. */
const [AND, OR, NOT] = [and(['a']), or(['a']), not('a')].map(
  (guard) => (guard as unknown as Composed).check,
);

/** Thrown where a guard reads what the event carries. */
const DEPENDS = Symbol('depends on the event');

/** A guard in words: its name, or its own expression where it has none. */
export function guardName(guard: unknown): string {
  if (guard === undefined) return '';
  if (typeof guard === 'string') return guard;
  const inner = composedOf(guard);
  if (inner) {
    const names = inner.guards.map(guardName);
    if (inner.check === NOT) return `not ${names[0]}`;
    return names.join(inner.check === AND ? ' and ' : ' or ');
  }
  if (typeof guard !== 'function') return (guard as { type: string }).type;
  if (guard.name !== 'guard' && guard.name !== '') return guard.name;
  const text = expression(guard);
  return /^context\.resumeAt === \w+$/.test(text) ? resumedAt(guard as Check) || text : text;
}

/** Which place a guard asks for that is bound outside its own text: the one that it holds for; else ''. */
function resumedAt(guard: Check): string {
  const point = RESUME_POINTS.find((resumeAt) => guard({ context: { resumeAt } }));
  return point === undefined ? '' : `resumed at ${point}`;
}

/** Whether a guard lets an event of this type through; with `event`, that one. */
export function guardVerdict(
  guard: unknown,
  { machine, context }: RunSnapshot,
  type: string,
  event?: RunEvent,
): Verdict {
  const args = { context, event: event ?? anEventOf(type) };
  return verdict(guard, machine as AnyStateMachine, args);
}

function verdict(guard: unknown, machine: AnyStateMachine, args: unknown): Verdict {
  if (guard === undefined) return 'holds';
  const inner = composedOf(guard);
  if (inner) {
    const verdicts = inner.guards.map((one) => verdict(one, machine, args));
    if (inner.check === NOT) return opposite(verdicts[0] ?? 'depends');
    const settles = inner.check === OR ? 'holds' : 'fails';
    if (verdicts.includes(settles)) return settles;
    return verdicts.includes('depends') ? 'depends' : opposite(settles);
  }
  const check = typeof guard === 'function' ? guard : machine.implementations.guards[nameOf(guard)];
  try {
    return check?.(args, undefined) ? 'holds' : 'fails';
  } catch (error) {
    if (error === DEPENDS) return 'depends';
    throw error;
  }
}

function composedOf(guard: unknown): Composed | null {
  const check = (guard as Partial<Composed>).check;
  return check === AND || check === OR || check === NOT ? (guard as Composed) : null;
}

function nameOf(guard: unknown): string {
  return typeof guard === 'string' ? guard : (guard as { type: string }).type;
}

function opposite(verdict: Verdict): Verdict {
  if (verdict === 'depends') return verdict;
  return verdict === 'holds' ? 'fails' : 'holds';
}

/** An event of which only the type is known: a guard that asks for more gives itself away. */
function anEventOf(type: string): unknown {
  const known = (key: string | symbol) => {
    if (key === 'type') return type;
    throw DEPENDS;
  };
  return new Proxy({}, { get: (_, key) => known(key), has: (_, key) => known(key) !== '' });
}

function expression(guard: { toString(): string }): string {
  return guard
    .toString()
    .replace(/^\(\{[^)]*\}\s*\)\s*=>\s*/, '')
    .replaceAll(/\s*([!=]==|&&|\|\|)\s*/g, ' $1 ')
    .replaceAll(/\s+/g, ' ');
}
