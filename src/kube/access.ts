import type { V1SelfSubjectAccessReview } from '@kubernetes/client-node';
import type { KubeClient } from './client.ts';
import { ApiError } from './errors.ts';
import { ACCESS_REVIEWS_PATH } from './paths.ts';
import type { Access } from './rbac.ts';

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
        // A rule may name the object, which also holds for a watch of that object alone.
        name: kind === 'Role' ? objects.daemonSet : objects.node,
        ...(kind === 'Role' ? { namespace: objects.namespace } : {}),
      },
    },
  };
}
