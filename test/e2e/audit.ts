import type { V1PolicyRule } from '@kubernetes/client-node';

/** A line of the API server's audit log, as far as it is looked at. */
export interface AuditEntry {
  verb: string;
  objectRef?: {
    apiGroup?: string;
    resource?: string;
    subresource?: string;
    namespace?: string;
    name?: string;
  };
  annotations?: Record<string, string>;
}

/** A role's rules and where they hold: in one namespace, or '' everywhere. */
export interface Grant {
  namespace: string;
  rules: V1PolicyRule[];
}

export function parseAudit(text: string): AuditEntry[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as AuditEntry);
}

/**
 * What was asked and refused by the roles: `VERB GROUP/RESOURCE in NAMESPACE`, each once. What was
 * also allowed, of the same object, was refused by a server that had not read its roles yet.
 */
export function forbidden(entries: readonly AuditEntry[]): string[] {
  const decided = (decision: string) =>
    entries.filter(
      ({ annotations }) => annotations?.['authorization.k8s.io/decision'] === decision,
    );
  const asked = (entry: AuditEntry) =>
    `${wording(permissionAsked(entry))} ${entry.objectRef?.name ?? ''}`;
  const allowed = new Set(decided('allow').map(asked));
  const refused = decided('forbid').filter((entry) => !allowed.has(asked(entry)));
  return [...new Set(refused.map(permissionAsked).map(wording))].sort();
}

/** What the roles grant and nobody asked for: `VERB GROUP/RESOURCE in NAMESPACE`, each once. */
export function unused(entries: readonly AuditEntry[], grants: readonly Grant[]): string[] {
  const left = grants
    .flatMap(permissionsOf)
    .filter((permission) => !entries.some((entry) => isUse(entry, permission)));
  return [...new Set(left.map(wording))].sort();
}

/** One verb on one resource; `names` undefined: of any object. */
interface Permission {
  verb: string;
  group: string;
  resource: string;
  namespace: string;
  names?: string[] | undefined;
}

function permissionsOf({ namespace, rules }: Grant): Permission[] {
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames: names, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => ({ verb, group, resource, namespace, names })),
      ),
    ),
  );
}

function isUse(entry: AuditEntry, { names, ...granted }: Permission): boolean {
  const { verb, group, resource, namespace } = permissionAsked(entry);
  return (
    verb === granted.verb &&
    group === granted.group &&
    resource === granted.resource &&
    (granted.namespace === '' || granted.namespace === namespace) &&
    (names === undefined || names.includes(entry.objectRef?.name ?? ''))
  );
}

function permissionAsked({ verb, objectRef }: AuditEntry): Permission {
  const {
    apiGroup: group = '',
    resource: base = '',
    subresource,
    namespace = '',
  } = objectRef ?? {};
  const resource = subresource === undefined ? base : `${base}/${subresource}`;
  return { verb, group, resource, namespace };
}

function wording({ verb, group, resource, namespace }: Permission): string {
  const where = namespace === '' ? '' : ` in ${namespace}`;
  return `${verb} ${group === '' ? '' : `${group}/`}${resource}${where}`;
}
