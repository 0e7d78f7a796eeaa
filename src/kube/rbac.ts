/** What this program asks of the API server: the rules that its roles need, and no more. */
export interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  /** Where the rule is granted: in a Role of the DaemonSet's namespace, or in a ClusterRole. */
  kind: 'Role' | 'ClusterRole';
}

export const RULES: readonly Rule[] = [
  // The lock. A patch, where the Go program updates.
  {
    apiGroups: ['apps'],
    resources: ['daemonsets'],
    verbs: ['get', 'watch', 'patch'],
    kind: 'Role',
  },
  { apiGroups: [''], resources: ['nodes'], verbs: ['get'], kind: 'ClusterRole' },
  // The conditions.
  { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'], kind: 'ClusterRole' },
];

/** One verb of a rule on one object. */
export interface Access {
  group: string;
  /** `nodes`, `nodes/status`. */
  resource: string;
  verb: string;
  kind: Rule['kind'];
}

export function accessesOf(rules: readonly Rule[]): Access[] {
  return rules.flatMap(({ apiGroups, resources, verbs, kind }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb, kind }))),
    ),
  );
}

/** The rules that grant what is missing, as they stand in a role: one line. */
export function grants(missing: readonly Access[], namespace: string): string {
  const resources = [...new Set(missing.map(({ resource }) => resource))];
  return resources
    .map((resource) => {
      const accesses = missing.filter((access) => access.resource === resource);
      const verbs = accesses.map(({ verb }) => verb).join(', ');
      const { group, kind } = accesses[0] as Access;
      const where = kind === 'Role' ? `the Role in namespace ${namespace}` : 'the ClusterRole';
      return `{apiGroups: ["${group}"], resources: ["${resource}"], verbs: [${verbs}]} in ${where}`;
    })
    .join(' and ');
}
