import type { V1SelfSubjectAccessReview } from '@kubernetes/client-node';
import type { KubeClient } from './client.ts';
import { ApiError } from './errors.ts';
import { ACCESS_REVIEWS_PATH } from './paths.ts';
import { type Access, grants } from './rbac.ts';

/** The objects that the accesses are to. */
export interface Objects {
  namespace: string;
  daemonSet: string;
  node: string;
}

/**
 * Asks the API server whether `access` is granted to whoever asks. Null: it does not say. A refusal
 * to answer (an authorizer without reviews, a proxy) is no refusal of the access.
 */
export async function review(
  client: KubeClient,
  access: Access,
  objects: Objects,
): Promise<boolean | null> {
  const body = reviewOf(access, objects);
  try {
    const answer = await client.request({ method: 'POST', path: ACCESS_REVIEWS_PATH, body });
    const { status } = (answer ?? {}) as Partial<V1SelfSubjectAccessReview>;
    return typeof status?.allowed === 'boolean' ? status.allowed : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function reviewOf({ group, resource, verb, kind }: Access, objects: Objects): unknown {
  const [name, subresource = ''] = resource.split('/');
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: {
        group,
        resource: name,
        subresource,
        verb,
        ...(kind === 'Role'
          ? // A rule may name the object, which also holds for a watch of that object alone.
            { name: objects.daemonSet, namespace: objects.namespace }
          : name === 'nodes'
            ? { name: objects.node }
            : {}),
      },
    },
  };
}

/** The user whom the API server has refused something, as the end of a line begins; '' for other errors. */
export function userOf({ code, message }: ApiError): string {
  const user = code === 403 ? /User ("[^"]*")/.exec(message)?.[1] : undefined;
  return user === undefined ? '' : `user ${user}, by `;
}

/** What to grant to whom; `user` is from `userOf`. */
export function lacking(
  { credentials }: KubeClient,
  user: string,
  missing: readonly Access[],
  namespace: string,
): string {
  return `${user}${credentials} lacks permissions: grant ${grants(missing, namespace)}`;
}
