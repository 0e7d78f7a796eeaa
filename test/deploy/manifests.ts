import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  loadYaml,
  type V1ClusterRole,
  type V1ConfigMap,
  type V1Container,
  type V1DaemonSet,
  type V1PodSpec,
  type V1PolicyRule,
  type V1Role,
} from '@kubernetes/client-node';
import type { Rule } from '../../src/kube/rbac.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const DEPLOY = join(ROOT, 'deploy');

/** A manifest's object. */
export function manifest<T>(name: string): T {
  const typed = loadYaml<T>(readFileSync(join(DEPLOY, name), 'utf8'));
  // Plain, as it is written.
  return JSON.parse(JSON.stringify(typed)) as T;
}

/** The names of the files that hold an object each. */
export function manifestNames(): string[] {
  return readdirSync(DEPLOY).filter((name) => name !== 'kustomization.yaml');
}

export const daemonSet = () => manifest<V1DaemonSet>('daemonset.yaml');
export const configMap = () => manifest<V1ConfigMap>('configmap.yaml');
export const role = () => manifest<V1Role>('role.yaml');
export const clusterRole = () => manifest<V1ClusterRole>('clusterrole.yaml');

/** What the roles grant, as the program's own rules are written. */
export function grantedRules(): Rule[] {
  const rulesOf = (kind: Rule['kind'], rules: V1PolicyRule[] = []) =>
    rules.map(({ apiGroups = [], resources = [], verbs }) => ({
      apiGroups,
      resources,
      verbs,
      kind,
    }));
  return [...rulesOf('Role', role().rules), ...rulesOf('ClusterRole', clusterRole().rules)];
}

export function podSpec(): V1PodSpec {
  const { spec } = daemonSet();
  if (spec?.template.spec === undefined) throw new Error('the DaemonSet has no pod');
  return spec.template.spec;
}

/** The one container of the DaemonSet's pod. */
export function container(): V1Container {
  const [first, ...others] = podSpec().containers;
  if (first === undefined || others.length > 0) throw new Error('not one container');
  return first;
}
