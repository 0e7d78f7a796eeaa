import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessesOf, RULES, type Rule } from '../../src/kube/rbac.ts';
import { daemonSet, grantedRules, manifest, manifestNames, role } from './manifests.ts';

interface Binding {
  roleRef: { kind: string; name: string };
  subjects: { kind: string; name: string; namespace: string }[];
}

/** `Role apps/daemonsets get` for each access, sorted. */
function namesOf(rules: readonly Rule[]): string[] {
  const names = accessesOf(rules).map(
    ({ kind, group, resource, verb }) => `${kind} ${group}/${resource} ${verb}`,
  );
  return [...new Set(names)].sort();
}

test('deploy/ grants what the program asks for, and no more', () => {
  assert.deepEqual(namesOf(grantedRules()), namesOf(RULES));
});

test('the Role is of the one DaemonSet, by its name', () => {
  const { name, namespace } = daemonSet().metadata ?? {};
  assert.equal(role().metadata?.namespace, namespace);
  for (const rule of role().rules ?? []) assert.deepEqual(rule.resourceNames, [name]);
});

test('both roles are bound to the account that the pod has', () => {
  const account = { kind: 'ServiceAccount', name: 'host-upgrades', namespace: 'kube-system' };
  assert.equal(daemonSet().spec?.template.spec?.serviceAccountName, account.name);
  for (const [file, kind] of [
    ['rolebinding.yaml', 'Role'],
    ['clusterrolebinding.yaml', 'ClusterRole'],
  ] as const) {
    const { roleRef, subjects } = manifest<Binding>(file);
    assert.deepEqual(subjects, [account]);
    assert.deepEqual([roleRef.kind, roleRef.name], [kind, 'host-upgrades']);
  }
});

test('one manifest an object, and each is in the kustomization', () => {
  const { resources } = manifest<{ resources: string[] }>('kustomization.yaml');
  assert.deepEqual(resources.toSorted(), manifestNames().sort());
  for (const name of manifestNames()) {
    const { kind } = manifest<{ kind: string }>(name);
    assert.equal(name, `${kind.toLowerCase()}.yaml`);
  }
});
