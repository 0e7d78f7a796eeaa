import type { V1PodDisruptionBudgetList } from '@kubernetes/client-node';
import type { KubeClient } from './client.ts';
import { ApiError, garbledError } from './errors.ts';
import { budgetsPath } from './paths.ts';
import type { Pod } from './pods.ts';
import { isSelected } from './selector.ts';

/**
 * The names of the PodDisruptionBudgets that select the pod; null where they cannot be listed: what
 * they are for, telling a refusal, then goes without them.
 */
export async function budgetsOf(
  client: KubeClient,
  { metadata }: Pod,
  signal: AbortSignal,
): Promise<string[] | null> {
  const path = budgetsPath(metadata.namespace);
  try {
    const answer = await client.request({ method: 'GET', path }, signal);
    return asBudgets(answer)
      .filter(({ spec }) => spec?.selector && isSelected(spec.selector, metadata.labels ?? {}))
      .map((budget) => budget.metadata?.name ?? '');
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** As the API server words the cause of its refusal. */
export function budgetIn(message: string): string | null {
  return /\bdisruption budget (\S+) (?:needs|is)\b/.exec(message)?.[1] ?? null;
}

function asBudgets(answer: unknown): V1PodDisruptionBudgetList['items'] {
  const { kind, items } = (answer ?? {}) as Partial<V1PodDisruptionBudgetList>;
  if (kind === 'PodDisruptionBudgetList' && Array.isArray(items)) return items;
  throw garbledError('a PodDisruptionBudgetList', JSON.stringify(answer) ?? '');
}
