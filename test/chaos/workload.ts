import type { V1PodDisruptionBudget } from '@kubernetes/client-node';
import type { Cluster } from '../cluster/cluster.ts';
import { MERGE_PATCH } from '../kube/objects.ts';
import type { Fact, PodFact } from './facts.ts';

const NAME = 'shop';
const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
/** How long a container takes to end. */
const ENDING_MS = 500;

/** Some pods with a budget, and what kubelets and controllers do for them. */
export interface Workload {
  fact(fact: Fact): void;
  /** Creates the budget. */
  begin(): Promise<void>;
  /** Does what is to be done now; a part that the API server refuses is left to the next time. */
  reconcile(): Promise<void>;
}

/** `nodes` that may take pods; `replicas`, of which one may be away. */
export function createWorkload(
  cluster: Cluster,
  nodes: readonly string[],
  replicas: number,
): Workload {
  const labels = { app: NAME };
  const pods = new Map<string, PodFact & { leavingSinceMs: number | null }>();
  const cordoned = new Set<string>();
  let budget: V1PodDisruptionBudget | null = null;
  let budgetRevision = 0;
  let created = 0;
  const create = () => {
    const free = nodes.filter((node) => !cordoned.has(node));
    created += 1;
    return send(cluster, 'POST', PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${NAME}-${created}`, labels },
      spec: {
        nodeName: free[created % free.length],
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'example/none' }],
      },
    });
  };
  const makeReady = ({ pod }: PodFact) =>
    send(cluster, 'PATCH', `${PODS}/${pod}/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  const remove = ({ pod, uid }: PodFact) =>
    send(cluster, 'DELETE', `${PODS}/${pod}`, {
      gracePeriodSeconds: 0,
      preconditions: { uid },
    });
  /** As the controller of budgets: an eviction that was promised counts until it is seen. */
  const updateBudget = async () => {
    if (budget === null) return;
    const { metadata, spec, status } = budget;
    const here = (pod: string) => {
      const known = pods.get(pod);
      return known !== undefined && !known.isLeaving;
    };
    const disruptedPods = Object.fromEntries(
      Object.entries(status?.disruptedPods ?? {}).filter(([pod]) => here(pod)),
    );
    const healthy = [...pods.values()].filter(
      ({ pod, isReady, isLeaving }) => isReady && !isLeaving && !(pod in disruptedPods),
    ).length;
    const desired = Number(spec?.minAvailable);
    const next = {
      observedGeneration: metadata?.generation ?? 0,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: replicas,
      disruptionsAllowed: Math.max(0, healthy - desired),
      disruptedPods,
    };
    if (isSame(status, next)) return;
    await send(cluster, 'PUT', `${BUDGETS}/${NAME}/status`, {
      ...budget,
      // Its version is not stored with it: it is where it is stored.
      metadata: { ...metadata, resourceVersion: String(budgetRevision) },
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      status: next,
    });
  };

  return {
    begin: () =>
      send(cluster, 'POST', BUDGETS, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: NAME, namespace: 'default' },
        spec: { minAvailable: replicas - 1, selector: { matchLabels: labels } },
      }),
    fact(fact) {
      if (fact.kind === 'budget') {
        budget = fact.object;
        budgetRevision = fact.revision;
      }
      if (fact.kind === 'node') {
        if (fact.isCordoned) cordoned.add(fact.node);
        else cordoned.delete(fact.node);
      }
      if (fact.kind !== 'pod') return;
      const before = pods.get(fact.pod);
      if (fact.isGone) pods.delete(fact.pod);
      else {
        const leavingSinceMs = fact.isLeaving ? (before?.leavingSinceMs ?? fact.atMs) : null;
        pods.set(fact.pod, { ...fact, leavingSinceMs });
      }
    },
    async reconcile() {
      const nowMs = Date.now();
      for (const pod of [...pods.values()]) {
        if (pod.leavingSinceMs === null && !pod.isReady) await makeReady(pod);
        if (pod.leavingSinceMs !== null && nowMs - pod.leavingSinceMs >= ENDING_MS)
          await remove(pod);
      }
      const staying = [...pods.values()].filter(({ isLeaving }) => !isLeaving).length;
      for (let count = staying; count < replicas; count += 1) await create();
      await updateBudget();
    },
  };
}

type Status = Partial<NonNullable<V1PodDisruptionBudget['status']>>;

function isSame(status: Status | undefined, next: Status): boolean {
  const keys = Object.keys(next) as (keyof Status)[];
  const plain = (value: unknown) => JSON.stringify(value ?? {});
  return keys.every((key) => plain(status?.[key]) === plain(next[key]));
}

/** Throws where it is refused; that something was changed or is gone by now is no refusal. */
async function send(cluster: Cluster, method: string, path: string, body: unknown): Promise<void> {
  const type = method === 'PATCH' ? { type: MERGE_PATCH } : {};
  const answer = await cluster.request(path, { method, body, ...type });
  if (answer.status < 300 || answer.status === 404 || answer.status === 409) return;
  throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
}
