/** What a run is about in a state; the bar over time is coloured by it. */
export type Phase =
  | 'waiting'
  | 'acquiring'
  | 'upgrading'
  | 'draining'
  | 'rebooting'
  | 'undoing'
  | 'releasing'
  | 'interrupted'
  | 'done'
  | 'failed'
  | 'stopped';

export const PHASES: readonly Phase[] = [
  'waiting',
  'acquiring',
  'upgrading',
  'draining',
  'rebooting',
  'undoing',
  'releasing',
  'interrupted',
  'done',
  'failed',
  'stopped',
];

const ENDS = ['done', 'failed', 'stopped', 'interrupted', 'releasing'] as const;
const WAITING = /^acquiring\.(spread|backoff|conflict|watch\.(held|standby|conflict))$/;

export function phaseOf(state: string): Phase {
  const end = ENDS.find((name) => state === name || state.startsWith(`${name}.`));
  if (end) return end;
  if (WAITING.test(state)) return 'waiting';
  const [top, inner] = state.split('.');
  if (top !== 'locked') return 'acquiring';
  if (inner === 'draining' || inner === 'rebooting') return inner;
  if (inner === 'rebooted') return 'rebooting';
  return inner === 'undoing' || inner === 'uncordoning' || inner === 'undrained'
    ? 'undoing'
    : 'upgrading';
}

const known = new Map<string, readonly string[]>();

/** `a`, `a.b` and `a.b.c` for the state `a.b.c`. */
export function withAncestors(state: string): readonly string[] {
  const before = known.get(state);
  if (before) return before;
  const keys = state.split('.');
  const ids = keys.map((_, index) => keys.slice(0, index + 1).join('.'));
  known.set(state, ids);
  return ids;
}
