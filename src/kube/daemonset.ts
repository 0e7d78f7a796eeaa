import { LOCK_ANNOTATION, type LockObject } from '../../machines/lock.ts';
import { garbledError } from './errors.ts';

/**
 * The parts of a DaemonSet that the lock is made of. Throws ApiError for anything else: what is
 * no DaemonSet must not look like a free lock, and an update without a version has no precondition.
 */
export function lockOf(answer: unknown): LockObject {
  const { kind, metadata, status } = fields(answer) ?? {};
  const { resourceVersion, annotations } = fields(metadata) ?? {};
  // The API server leaves empty annotations out; others write null.
  const value = (fields(annotations ?? {}) ?? NONE)[LOCK_ANNOTATION] ?? '';
  const isLock =
    kind === 'DaemonSet' &&
    typeof resourceVersion === 'string' &&
    resourceVersion !== '' &&
    typeof value === 'string';
  if (!isLock) throw garbledError('a DaemonSet with a version', JSON.stringify(answer) ?? '');
  const nodes = fields(status)?.desiredNumberScheduled;
  return {
    value,
    resourceVersion,
    ...(typeof nodes === 'number' && Number.isSafeInteger(nodes) ? { nodes } : {}),
  };
}

/** Where annotations are no annotations the lock is unknown, which is not the same as free. */
const NONE: Record<string, unknown> = { [LOCK_ANNOTATION]: false };

function fields(value: unknown): Record<string, unknown> | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : null;
}

/**
 * The merge patch that sets the lock to `value` (null clears it) if the object still is the one
 * of `resourceVersion`; otherwise the API server answers 409.
 */
export function lockPatch(value: string | null, resourceVersion: string): unknown {
  return { metadata: { resourceVersion, annotations: { [LOCK_ANNOTATION]: value } } };
}
