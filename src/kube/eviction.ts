import { lacking, userOf } from './access.ts';
import { budgetIn, budgetsOf } from './budgets.ts';
import type { KubeClient } from './client.ts';
import { ApiError, isPassing } from './errors.ts';
import { evictionPath } from './paths.ts';
import { type Pod, podId } from './pods.ts';
import type { Access } from './rbac.ts';

/** What came of asking for an eviction. */
export type EvictionAnswer =
  | { kind: 'accepted' }
  /** The pod is not there, or another one of that name is. */
  | { kind: 'gone' }
  /** `retryInMs`: when to ask again; null: after a pause that grows. */
  | { kind: 'refused'; message: string; budget: string | null; retryInMs: number | null }
  /** Asking again is of no use: a person has to do what the message says. */
  | { kind: 'impossible'; message: string };

const RETRY_MS = 5_000;
/** Within these a Retry-After is taken at its word. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 300_000;

/** Asks once for the eviction of exactly this pod; `gracePeriodS` null: the pod's own. */
export async function evictPod(
  client: KubeClient,
  pod: Pod,
  gracePeriodS: number | null,
  signal: AbortSignal,
): Promise<EvictionAnswer> {
  const { name, namespace, uid } = pod.metadata;
  const grace = gracePeriodS === null ? {} : { gracePeriodSeconds: gracePeriodS };
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: { uid }, ...grace },
  };
  const path = evictionPath(namespace, name);
  try {
    await client.request({ method: 'POST', path, body, is429Final: true }, signal);
    return { kind: 'accepted' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return await answerOf(client, pod, error, signal);
  }
}

async function answerOf(
  client: KubeClient,
  pod: Pod,
  error: ApiError,
  signal: AbortSignal,
): Promise<EvictionAnswer> {
  const { code, message } = error;
  const later = (retryInMs: number | null, budget: string | null = null): EvictionAnswer => {
    const words = [message, ...error.details.map((detail) => detail.message)];
    return { kind: 'refused', message: words.filter(Boolean).join(' '), budget, retryInMs };
  };
  const never = (why: string): EvictionAnswer => {
    return { kind: 'impossible', message: `pod ${podId(pod)} cannot be evicted: ${why}` };
  };
  switch (code) {
    case 403:
      // The pod is about to be deleted with all that is in its namespace.
      if (hasCause(error, 'NamespaceTerminating')) return later(RETRY_MS);
      return never(forbidden(client, error, pod));
    case 404:
      // Before Kubernetes 1.22 there is no policy/v1.
      return message.includes('could not find the requested resource')
        ? never(`the API server has no evictions of policy/v1 (${message})`)
        : { kind: 'gone' };
    case 409:
      return /\bUID\b/.test(message) ? { kind: 'gone' } : later(null);
    case 429: {
      const isBudget = hasCause(error, 'DisruptionBudget');
      // Flow control refuses with the same code, whatever is evicted.
      const budget = isBudget ? await budgetName(client, pod, error, signal) : null;
      return later(retryMs(error) ?? RETRY_MS, budget);
    }
    case 500:
      if (!message.includes('more than one PodDisruptionBudget')) return later(retryMs(error));
      return never(await twoBudgets(client, pod, message, signal));
    default:
      return isPassing(error) ? later(retryMs(error)) : never(message);
  }
}

function hasCause({ details }: ApiError, reason: string): boolean {
  return details.some((detail) => detail.reason === reason);
}

function retryMs({ retryAfterS }: ApiError): number | null {
  if (retryAfterS === null) return null;
  return Math.min(Math.max(retryAfterS * 1_000, RETRY_MIN_MS), RETRY_MAX_MS);
}

function forbidden(client: KubeClient, error: ApiError, { metadata }: Pod): string {
  const user = userOf(error);
  // Admission refuses with the same code, and names no user.
  if (user === '') return error.message;
  const access: Access = {
    group: '',
    resource: 'pods/eviction',
    verb: 'create',
    kind: 'ClusterRole',
  };
  return lacking(client, user, [access], metadata.namespace);
}

async function budgetName(
  client: KubeClient,
  pod: Pod,
  { details }: ApiError,
  signal: AbortSignal,
): Promise<string | null> {
  for (const { message } of details) {
    const name = budgetIn(message);
    if (name !== null) return name;
  }
  const names = await budgetsOf(client, pod, signal);
  return names?.length === 1 ? (names[0] ?? null) : null;
}

async function twoBudgets(
  client: KubeClient,
  pod: Pod,
  message: string,
  signal: AbortSignal,
): Promise<string> {
  const names = await budgetsOf(client, pod, signal);
  if (names === null || names.length < 2) return message;
  const [last, ...others] = names.sort().reverse();
  const all = `${others.reverse().join(', ')} and ${last}`;
  return `the PodDisruptionBudgets ${all} select it, and evictions know no more than one for a pod: change their selectors`;
}
