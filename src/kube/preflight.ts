import type { V1Node } from '@kubernetes/client-node';
import type { LockObject } from '../../machines/lock.ts';
import { lacking, type Objects, review, userOf } from './access.ts';
import type { KubeClient } from './client.ts';
import { ApiError, failureOf } from './errors.ts';
import { isReady } from './firm.ts';
import { getLock } from './lock.ts';
import { getNode } from './node.ts';
import { type Access, accessesOf, type Powers, rulesFor } from './rbac.ts';

/** One line that says what is wrong between this program and its cluster, and what to do. */
export class ClusterError extends Error {}

class PermissionError extends ClusterError {}

/**
 * What is there at start. `reachable: false`: no answer, or none of use for now; a node that boots
 * while the API server is down starts all the same, and its runs wait for the server.
 */
export type ClusterState =
  | { reachable: true; lock: LockObject; node: V1Node }
  | { reachable: false; message: string };

/**
 * Reads the DaemonSet and the Node and asks for every verb that a run with these powers needs,
 * before a lock is taken. Throws ClusterError: what only a person can mend.
 */
export async function checkCluster(
  client: KubeClient,
  objects: Objects,
  powers: Powers = { reboot: false, drain: false },
): Promise<ClusterState> {
  checkNames(objects);
  try {
    return await check(client, objects, powers);
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error;
    // One that has just been started forbids everything: it does not know its roles yet.
    if (await isReady(client)) return await check(client, objects, powers);
    return { reachable: false, message: `the API server is not ready: ${error.message}` };
  }
}

async function check(client: KubeClient, objects: Objects, powers: Powers): Promise<ClusterState> {
  const accesses = accessesOf(rulesFor(powers));
  const reviewed = accesses.filter((access) => !isRead(access));
  const [lock, node, ...granted] = await Promise.all([
    settled(getLock(client, objects)),
    settled(getNode(client, objects.node)),
    ...reviewed.map((access) => review(client, access, objects)),
  ]);
  const errors = [lock, node].filter((result) => result instanceof ApiError);
  for (const error of errors) checkWay(client, error);
  const outage = errors.find(isOutage);
  if (outage) return { reachable: false, message: outage.message };
  const missing = [
    ...accesses.filter(
      (access) => isRead(access) && isForbidden(access.kind === 'Role' ? lock : node),
    ),
    ...reviewed.filter((_, index) => granted[index] === false),
  ];
  if (missing.length > 0) {
    const who = errors.map(userOf).find((user) => user !== '') ?? '';
    throw new PermissionError(lacking(client, who, missing, objects.namespace));
  }
  if (lock instanceof ApiError) throw new ClusterError(daemonSetProblem(client, objects, lock));
  if (node instanceof ApiError) throw new ClusterError(nodeProblem(client, objects, node));
  return { reachable: true, lock, node };
}

/** What the reads show by themselves: the Role's DaemonSet, and the Node. */
function isRead({ verb, kind, resource }: Access): boolean {
  return verb === 'get' && (kind === 'Role' || resource === 'nodes');
}

/** By the API server, which names the user; a proxy's 403 is no matter of roles. */
function isForbidden(result: unknown): boolean {
  return result instanceof ApiError && userOf(result) !== '';
}

function checkNames({ namespace, daemonSet, node }: Objects): void {
  for (const [flag, name] of Object.entries({
    '--kube-namespace': namespace,
    '--kube-daemonset': daemonSet,
    '--kube-node': node,
  })) {
    // No encoding keeps these from being another path: servers decode it before taking it apart.
    if (/^(\.{0,2}|.*[/%].*)$/.test(name)) {
      throw new ClusterError(`${flag}=${name}: not the name of an object`);
    }
  }
}

async function settled<T>(request: Promise<T>): Promise<T | ApiError> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** No answer, or one that will be another one later. */
function isOutage(error: ApiError): boolean {
  const { code } = error;
  return failureOf(error) === 'unreachable' || (code !== null && (code >= 500 || code === 429));
}

/** What stands between this program and any answer at all. */
function checkWay(client: KubeClient, error: ApiError): void {
  const { server, credentials, authority } = client;
  const failure = failureOf(error);
  if (failure === 'credentials') {
    throw new ClusterError(`cannot authenticate at ${server}: ${error.message}; ${credentials}`);
  }
  if (failure === 'tls') throw new ClusterError(tlsProblem(server, authority, error));
  if (failure === 'garbled') {
    throw new ClusterError(`${server} does not answer as an API server: ${error.message}`);
  }
  if (error.code === 401) {
    throw new ClusterError(
      `${server} refused the credentials (401 ${error.message}): renew ${credentials}`,
    );
  }
}

function tlsProblem(server: string, authority: string, error: ApiError): string {
  const text = error.message.replace(/^\w+ ".*?": /, '');
  const hint = /expired|not yet valid/.test(text)
    ? 'renew it, or set the clock of this machine'
    : `verified with ${authority}, which must hold the CA of this cluster`;
  return `the certificate of ${server} is not accepted (${text}): ${hint}`;
}

function daemonSetProblem({ server }: KubeClient, objects: Objects, error: ApiError): string {
  const { namespace, daemonSet } = objects;
  const isMissing = error.code === 404 && error.message.includes(`"${daemonSet}" not found`);
  return isMissing
    ? `no DaemonSet ${daemonSet} in namespace ${namespace}, whose annotation is the lock: set --kube-namespace and --kube-daemonset to the one that this pod is of`
    : `${server} cannot give DaemonSet ${namespace}/${daemonSet}: ${error.message}`;
}

function nodeProblem({ server }: KubeClient, { node }: Objects, error: ApiError): string {
  const isMissing = error.code === 404 && error.message.includes(`"${node}" not found`);
  return isMissing
    ? `no Node ${node}: set --kube-node to the pod's spec.nodeName, which the host's name need not be`
    : `${server} cannot give Node ${node}: ${error.message}`;
}
