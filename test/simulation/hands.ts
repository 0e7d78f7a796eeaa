import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import * as cluster from '../../src/rehearsal/cluster.ts';
import { BUDGETS, DAEMON_SETS, NODES, PODS } from '../../src/rehearsal/routes.ts';
import type { Fleet } from './fleet.ts';

const APPS = 'default';
/** Who takes the lock by hand. */
export const STRANGER = 'an-administrator';

type Later = (undo: () => void) => void;

/** null: free. */
export function setLock({ api, asAdministrator }: Fleet, value: string | null): void {
  asAdministrator(() =>
    api.store.patch(DAEMON_SETS, cluster.NAMESPACE, cluster.DAEMON_SET, 'merge', {
      metadata: { annotations: { [LOCK_ANNOTATION]: value } },
    }),
  );
}

/** By hand; it must stay so until it is undone by hand, unless the program had cordoned it before. */
export function cordon(fleet: Fleet, name: string, later: Later): void {
  const { api, asAdministrator, judge } = fleet;
  const isCordoned = () => {
    const { spec } = api.store.get(NODES, '', name) as { spec?: { unschedulable?: boolean } };
    return spec?.unschedulable === true;
  };
  const set = (unschedulable: boolean | null) =>
    asAdministrator(() => api.store.patch(NODES, '', name, 'merge', { spec: { unschedulable } }));
  if (!exists(fleet, name) || isCordoned()) return;
  const { uid } = api.store.get(NODES, '', name).metadata;
  set(true);
  later(() => {
    if (!exists(fleet, name) || api.store.get(NODES, '', name).metadata.uid !== uid) return;
    if (!isCordoned()) judge.broken(5, `${name}, cordoned by an administrator, was uncordoned`);
    set(null);
  });
}

/** The kubelet registers it again, without what others had written on it. */
export function deleteNode(fleet: Fleet, name: string, later: Later): void {
  const { store } = fleet.api;
  if (!exists(fleet, name)) return;
  store.delete(NODES, '', name);
  later(() => store.create(NODES, '', { metadata: { name }, status: { conditions: [] } }));
}

/** A pod whose budget allows nothing for a while. */
export function block({ api: { store } }: Fleet, node: string, later: Later): void {
  const app = `db-${store.version}`;
  store.create(PODS, APPS, {
    metadata: {
      name: app,
      namespace: APPS,
      labels: { app },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name: app, uid: app, controller: true },
      ],
    },
    spec: { nodeName: node },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: 0,
    currentHealthy: 1,
    desiredHealthy: 1,
  };
  store.create(BUDGETS, APPS, {
    metadata: { name: app, namespace: APPS },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app } } },
    status,
  });
  later(() => store.patch(BUDGETS, APPS, app, 'merge', { status: { disruptionsAllowed: 9 } }));
}

function exists({ api }: Fleet, name: string): boolean {
  return api.store.list(NODES, '').some(({ metadata }) => metadata.name === name);
}
