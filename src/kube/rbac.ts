/** What this program asks of the API server: the rules that its roles need, and no more. */
export interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  /** Where the rule is granted: in a Role of the DaemonSet's namespace, or in a ClusterRole. */
  kind: 'Role' | 'ClusterRole';
}

/** What a run may do beyond an upgrade. */
export interface Powers {
  reboot: boolean;
  drain: boolean;
}

/** The rules that a program with these options needs. */
export function rulesFor({ reboot, drain }: Powers): readonly Rule[] {
  return [
    // The lock. A patch, where the Go program updates.
    role('apps', 'daemonsets', ['get', 'watch', 'patch']),
    // The annotations of a drain and of a reboot, and unschedulable.
    clusterRole('', 'nodes', reboot || drain ? ['get', 'patch'] : ['get']),
    // The conditions.
    clusterRole('', 'nodes/status', ['patch']),
    ...(drain ? DRAIN_RULES : []),
  ];
}

const DRAIN_RULES: readonly Rule[] = [
  clusterRole('', 'pods', ['list']),
  clusterRole('', 'pods/eviction', ['create']),
  // Whether the DaemonSet of a pod that would stay is still there.
  clusterRole('apps', 'daemonsets', ['get']),
  // The names of those that keep a pod from being evicted.
  clusterRole('policy', 'poddisruptionbudgets', ['list']),
];

/** The rules for all that this program can do. */
export const RULES: readonly Rule[] = rulesFor({ reboot: true, drain: true });

function role(group: string, resource: string, verbs: string[]): Rule {
  return { apiGroups: [group], resources: [resource], verbs, kind: 'Role' };
}

function clusterRole(group: string, resource: string, verbs: string[]): Rule {
  return { apiGroups: [group], resources: [resource], verbs, kind: 'ClusterRole' };
}

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
  const rules = Map.groupBy(missing, ({ resource, kind }) => `${resource} ${kind}`);
  return [...rules.values()]
    .map((accesses) => {
      const verbs = accesses.map(({ verb }) => verb).join(', ');
      const { group, resource, kind } = accesses[0] as Access;
      const where = kind === 'Role' ? `the Role in namespace ${namespace}` : 'the ClusterRole';
      return `{apiGroups: ["${group}"], resources: ["${resource}"], verbs: [${verbs}]} in ${where}`;
    })
    .join(' and ');
}
