import { LOCK_ANNOTATION } from '../../machines/lock.ts';

/** The lock's value in an object of the API; null where it is not the DaemonSet. */
export function lockOf(object: unknown): string | null {
  if (typeof object !== 'object' || object === null) return null;
  const { kind, metadata } = object as {
    kind?: string;
    metadata?: { name?: string; annotations?: Record<string, string> };
  };
  // A bookmark has no name, and tells nothing of the lock.
  if (kind !== 'DaemonSet' || metadata?.name === undefined) return null;
  return metadata.annotations?.[LOCK_ANNOTATION] ?? '';
}
