import type { VirtualClock } from './clock.ts';
import type { ApiObject } from './objects.ts';
import type { Random } from './random.ts';
import { BUDGETS, NODES, PODS } from './routes.ts';
import type { Store } from './store.ts';

export const APPS = 'default';
const BUDGET = 'web';
/** A pod ends within its grace period, and another one is soon ready elsewhere. */
const END_MS = [300, 1_500] as const;
const READY_MS = 500;

/** What runs on the nodes beside this program: a pod that a budget guards, and one that stays. */
export interface Workload {
  /** An eviction was accepted. */
  onEvicted(pod: ApiObject): void;
}

/** Pods on each node. The pods of `blockedNode` have a budget that never allows anything. */
export function createWorkload(
  store: Store,
  nodes: readonly string[],
  clock: VirtualClock,
  random: Random,
  blockedNode: string | undefined,
): Workload {
  let count = 0;
  const run = (app: string, owner: string, node: string) => {
    count += 1;
    store.create(PODS, APPS, {
      metadata: {
        name: `${app}-${count}`,
        namespace: APPS,
        labels: { app },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: owner, name: app, uid: app, controller: true },
        ],
      },
      spec: { nodeName: node },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  };
  const budget = (name: string, disruptionsAllowed: number) =>
    store.create(BUDGETS, APPS, {
      metadata: { name, namespace: APPS },
      spec: { maxUnavailable: disruptionsAllowed, selector: { matchLabels: { app: name } } },
      status: {
        observedGeneration: 1,
        disruptionsAllowed,
        currentHealthy: nodes.length,
        desiredHealthy: nodes.length - 1,
      },
    });
  for (const node of nodes) run(BUDGET, 'ReplicaSet', node);
  budget(BUDGET, 1);
  if (blockedNode !== undefined) {
    run('db', 'StatefulSet', blockedNode);
    budget('db', 0);
  }

  /** A node for a pod that has to go, or null where there is none. */
  const another = (): string | null => {
    const there = new Map(store.list(NODES, '').map((node) => [node.metadata.name, node]));
    const free = nodes.filter((name) => {
      const node = there.get(name) as { spec?: { unschedulable?: boolean } } | undefined;
      return node !== undefined && node.spec?.unschedulable !== true;
    });
    return free.length === 0 ? null : random.pick(free);
  };
  const replace = () => {
    const node = another();
    if (node === null) {
      clock.setTimeout(replace, READY_MS);
      return;
    }
    run(BUDGET, 'ReplicaSet', node);
    store.patch(BUDGETS, APPS, BUDGET, 'merge', { status: { disruptionsAllowed: 1 } });
  };
  return {
    onEvicted({ metadata: { name } }) {
      clock.setTimeout(
        () => {
          store.delete(PODS, APPS, name);
          clock.setTimeout(replace, READY_MS);
        },
        random.between(...END_MS),
      );
    },
  };
}
