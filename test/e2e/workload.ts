import type { V1Pod } from '@kubernetes/client-node';
import { type Cluster, poll } from '../cluster/cluster.ts';

const NAMESPACE = 'default';
const LIMIT_MS = 60_000;

/** A deployment that may lose some of its pods, but never more than its budget allows. */
export interface Workload {
  name: string;
  minAvailable: number;
  /** Its pods, `NAME on NODE`, those on their way out too. */
  pods(): Promise<string[]>;
  /** Waits until all replicas are ready and the budget knows it. */
  ready(): Promise<void>;
  setMinAvailable(minAvailable: number): Promise<void>;
}

/** Creates it on a cluster with controllers and kubelets; its pods run when this resolves. */
export async function createWorkload(
  cluster: Cluster,
  name: string,
  replicas = 3,
  minAvailable = 2,
): Promise<Workload> {
  const budgets = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets`;
  const deployments = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
  const selector = { matchLabels: { app: name } };
  const metadata = { name, namespace: NAMESPACE };
  await create(cluster, budgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec: { minAvailable, selector },
  });
  await create(cluster, deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas,
      selector,
      template: {
        metadata: { labels: selector.matchLabels },
        spec: {
          containers: [{ name: 'main', image: 'example/none' }],
          // Spread over the nodes that take pods, so that each drain has some to evict.
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'DoNotSchedule',
              nodeTaintsPolicy: 'Honor',
              labelSelector: selector,
            },
          ],
        },
      },
    },
  });
  const workload: Workload = {
    name,
    minAvailable,
    async pods() {
      const path = `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app%3D${name}`;
      const { body } = await cluster.request(path);
      return body.items.map((pod: V1Pod) => `${pod.metadata?.name} on ${pod.spec?.nodeName}`);
    },
    ready: () =>
      poll(async () => {
        const [{ body: deployment }, { body: budget }] = await Promise.all([
          cluster.request(`${deployments}/${name}`),
          cluster.request(`${budgets}/${name}`),
        ]);
        return (
          deployment.status?.readyReplicas === replicas &&
          budget.status?.currentHealthy === replicas &&
          budget.status.observedGeneration === budget.metadata.generation
        );
      }, LIMIT_MS),
    async setMinAvailable(next) {
      const { status } = await cluster.request(`${budgets}/${name}`, {
        method: 'PATCH',
        type: 'application/merge-patch+json',
        body: { spec: { minAvailable: next } },
      });
      if (status !== 200) throw new Error(`PATCH the budget ${name}: ${status}`);
      await workload.ready();
    },
  };
  await workload.ready();
  return workload;
}

async function create(cluster: Cluster, path: string, body: unknown): Promise<void> {
  const answer = await cluster.request(path, { method: 'POST', body });
  if (answer.status !== 201)
    throw new Error(`POST ${path}: ${answer.status} ${answer.body.message}`);
}

/** Another budget for the pods of `app`. */
export async function createBudget(
  cluster: Cluster,
  name: string,
  app: string,
): Promise<{ remove(): Promise<void> }> {
  const path = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets`;
  await create(cluster, path, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: NAMESPACE },
    spec: { minAvailable: 0, selector: { matchLabels: { app } } },
  });
  return {
    async remove() {
      await cluster.request(`${path}/${name}`, { method: 'DELETE' });
    },
  };
}
