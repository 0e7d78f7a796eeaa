import { verdict } from '../../machines/lock.ts';
import type { Entry } from './parse.ts';

/**
 * How far a process's start has come with the lock: it reads it, and releases one that is its own.
 * Each word is the line written last; `over`: there is no start, or it is done.
 */
export type StartUp =
  | 'begun'
  | 'read'
  | 'own'
  | 'read-again'
  | 'release'
  | 'clear'
  | 'update'
  | 'conflict'
  | 'over';

const NEXT: Partial<Record<StartUp, Partial<Record<string, StartUp>>>> = {
  begun: { 'lock.get': 'read' },
  // A read that failed is tried again.
  read: { 'lock.get': 'read', 'lock.test': 'own' },
  own: { 'lock.get': 'read-again' },
  'read-again': { 'lock.get': 'read', 'lock.release': 'release' },
  release: { 'lock.clear': 'clear' },
  clear: { 'lock.update': 'update' },
  update: { 'lock.conflict': 'conflict', 'lock.get': 'read' },
  conflict: { 'lock.get': 'read-again' },
};

/** Where a line of a start leads, or null where it cannot stand there. `node` '' is not known. */
export function advanceStartUp(at: StartUp, { line }: Entry, node: string): StartUp | null {
  // The original settles a reboot ahead of its run.
  if (at === 'begun' && line?.id === 'node.uncordoned') return at;
  const next = line && NEXT[at]?.[line.id];
  if (!next) return null;
  if (line.id === 'lock.test') {
    if (line.verdict === 'acquired' && node === '') return 'own';
    if (verdict(line.value, node) !== line.verdict) return null;
    return line.verdict === 'acquired' ? 'own' : 'over';
  }
  if (line.id === 'lock.clear' && node !== '' && line.value !== node) return null;
  return next;
}
