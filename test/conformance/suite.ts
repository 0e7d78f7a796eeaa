import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { ACCESS_REVIEWS_PATH } from '../../src/kube/paths.ts';
import type { Answer } from '../cluster/cluster.ts';
import {
  annotate,
  clientOf,
  createDaemonSet,
  createNode,
  daemonSetPath,
  type Server,
} from '../kube/objects.ts';

export interface ConformanceServer extends Server {
  /** Makes every version older than now unknown to watches. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

interface WatchEvent {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: an API object of any kind
  object: any;
}

const CONFLICT = (name: string) =>
  `Operation cannot be fulfilled on daemonsets.apps "${name}": the object has been modified; please apply your changes to the latest version and try again`;

/** What this program relies on of an API server: the same for the embedded and the real one. */
export function storeConformance(
  name: string,
  options: { skip: string | false },
  start: () => Promise<ConformanceServer>,
): void {
  describe(`store conformance: ${name}`, options, () => {
    let server: ConformanceServer;
    let client: KubeClient;
    before(async () => {
      server = await start();
      client = clientOf(server.kubeconfig);
    });
    after(async () => {
      await client?.close();
      await server?.stop();
    });

    /** The events of a watch until `count` came or the server ended it. */
    const watch = async (
      daemonSet: string,
      query: Record<string, string>,
      count = Number.POSITIVE_INFINITY,
    ): Promise<WatchEvent[]> => {
      const search = new URLSearchParams({
        watch: 'true',
        fieldSelector: `metadata.name=${daemonSet}`,
        timeoutSeconds: '20',
        ...query,
      });
      const controller = new AbortController();
      const path = `/apis/apps/v1/namespaces/kube-system/daemonsets?${search}`;
      const response = await client.open({ method: 'GET', path }, controller.signal);
      const events: WatchEvent[] = [];
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        rest += decoder.decode(chunk as Uint8Array, { stream: true });
        const rows = rest.split('\n');
        rest = rows.pop() ?? '';
        events.push(...rows.map((row) => JSON.parse(row) as WatchEvent));
        if (events.length >= count) break;
      }
      controller.abort();
      return events.slice(0, count);
    };

    const failure = ({ status, body }: Answer) => ({
      status,
      kind: body.kind,
      reason: body.reason,
      code: body.code,
      message: body.message,
    });

    test('get gives what was created, with uid, version and kind', async () => {
      const version = await createDaemonSet(server, 'get');
      const { status, body } = await server.request(daemonSetPath('get'));
      assert.equal(status, 200);
      assert.equal(body.metadata.resourceVersion, version);
      assert.deepEqual([body.kind, body.apiVersion], ['DaemonSet', 'apps/v1']);
      assert.match(body.metadata.uid, /^[0-9a-f-]{36}$/);
    });

    test('an object that is not there', async () => {
      assert.deepEqual(failure(await server.request(daemonSetPath('none'))), {
        status: 404,
        kind: 'Status',
        reason: 'NotFound',
        code: 404,
        message: 'daemonsets.apps "none" not found',
      });
    });

    test('an object that is there already', async () => {
      await createDaemonSet(server, 'twice');
      await assert.rejects(createDaemonSet(server, 'twice'), /409 .*already exists/);
    });

    const patch = (daemonSet: string, body: unknown, type = 'application/merge-patch+json') =>
      server.request(daemonSetPath(daemonSet), { method: 'PATCH', type, body });
    const set = (value: string | null, resourceVersion: string) => ({
      metadata: { resourceVersion, annotations: { [LOCK_ANNOTATION]: value } },
    });

    test('a merge patch with the current version is carried out and gives the object', async () => {
      const version = await createDaemonSet(server, 'patch', { other: 'stays' });
      const acquired = await patch('patch', set('node-1', version));
      assert.equal(acquired.status, 200);
      assert.deepEqual(acquired.body.metadata.annotations[LOCK_ANNOTATION], 'node-1');
      assert.equal(acquired.body.metadata.annotations.other, 'stays');
      const cleared = await patch('patch', set(null, acquired.body.metadata.resourceVersion));
      assert.equal(cleared.body.metadata.annotations[LOCK_ANNOTATION], undefined);
      assert.equal(cleared.body.metadata.annotations.other, 'stays');
    });

    test('an object without annotations can be locked', async () => {
      const version = await createDaemonSet(server, 'bare');
      const { body } = await patch('bare', set('node-1', version));
      assert.equal(body.metadata.annotations[LOCK_ANNOTATION], 'node-1');
    });

    test('a merge patch with a stale version is a conflict and changes nothing', async () => {
      const stale = await createDaemonSet(server, 'stale');
      const version = await annotate(server, 'stale', 'node-2');
      assert.deepEqual(failure(await patch('stale', set('node-1', stale))), {
        status: 409,
        kind: 'Status',
        reason: 'Conflict',
        code: 409,
        message: CONFLICT('stale'),
      });
      const { body } = await server.request(daemonSetPath('stale'));
      assert.equal(body.metadata.resourceVersion, version);
    });

    test('a put with a stale version is a conflict', async () => {
      await createDaemonSet(server, 'put');
      const { body } = await server.request(daemonSetPath('put'));
      await annotate(server, 'put', 'node-2');
      const put = { method: 'PUT', body };
      assert.equal(
        failure(await server.request(daemonSetPath('put'), put)).message,
        CONFLICT('put'),
      );
    });

    test('a patch that changes nothing makes no new version', async () => {
      await createDaemonSet(server, 'same');
      const version = await annotate(server, 'same', 'node-1');
      assert.equal(await annotate(server, 'same', 'node-1'), version);
    });

    test('a merge patch keeps what it does not name', async () => {
      await createDaemonSet(server, 'fields', { 'example.com/x': '{"a":1}' });
      const before = (await server.request(daemonSetPath('fields'))).body;
      await annotate(server, 'fields', 'node-1');
      const { body } = await server.request(daemonSetPath('fields'));
      assert.deepEqual(body.spec, before.spec);
      assert.equal(body.metadata.annotations['example.com/x'], '{"a":1}');
      assert.equal(body.metadata.uid, before.metadata.uid);
    });

    test('a path is decoded before it is taken apart', async () => {
      await createDaemonSet(server, 'decoded');
      const message = async (path: string) => (await server.request(path)).body.message;
      assert.equal(await message('/api/v1/nodes/a%20b'), 'nodes "a b" not found');
      const unknown = 'the server could not find the requested resource';
      assert.equal(await message('/api/v1/nodes/a%2Fb'), unknown);
      // A name with a slash would be another request than the one that was meant.
      const { body } = await server.request(`${daemonSetPath('decoded')}%2Fstatus`);
      assert.equal(body.metadata.name, 'decoded');
    });

    test('an access review says whether who asks may', async () => {
      const resourceAttributes = { group: 'apps', resource: 'daemonsets', verb: 'patch' };
      const { status, body } = await server.request(ACCESS_REVIEWS_PATH, {
        method: 'POST',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { ...resourceAttributes, namespace: 'kube-system' } },
        },
      });
      assert.deepEqual([status, body.kind], [201, 'SelfSubjectAccessReview']);
      assert.equal(body.status.allowed, true);
      assert.equal(body.spec.resourceAttributes.verb, 'patch');
    });

    test('an unknown patch type', async () => {
      await createDaemonSet(server, 'type');
      assert.equal((await patch('type', {}, 'application/x')).status, 415);
    });

    test('a watch from a version shows what came after it, and nothing before', async () => {
      await createDaemonSet(server, 'watch');
      const version = await annotate(server, 'watch', 'before');
      await annotate(server, 'watch', 'after');
      await annotate(server, 'watch', null);
      const events = await watch('watch', { resourceVersion: version }, 2);
      assert.deepEqual(
        events.map(({ type, object }) => [type, object.metadata.annotations?.[LOCK_ANNOTATION]]),
        [
          ['MODIFIED', 'after'],
          ['MODIFIED', undefined],
        ],
      );
    });

    test('a watch selects its object', async () => {
      const version = await createDaemonSet(server, 'mine');
      await createDaemonSet(server, 'other');
      await annotate(server, 'mine', 'x');
      const events = await watch('mine', { resourceVersion: version }, 1);
      assert.equal(events[0]?.object.metadata.name, 'mine');
    });

    test('a watch shows the deletion; what is created again is another object', async () => {
      const version = await createDaemonSet(server, 'deleted');
      const { uid } = (await server.request(daemonSetPath('deleted'))).body.metadata;
      await server.request(daemonSetPath('deleted'), { method: 'DELETE' });
      await createDaemonSet(server, 'deleted');
      const events = await watch('deleted', { resourceVersion: version, timeoutSeconds: '1' });
      const types = events.map(({ type }) => type).filter((type) => type !== 'MODIFIED');
      assert.deepEqual(types, ['DELETED', 'ADDED']);
      assert.notEqual(events.at(-1)?.object.metadata.uid, uid);
    });

    test('the server’s timeout ends a quiet watch cleanly', async () => {
      const version = await createDaemonSet(server, 'timeout');
      const query = { resourceVersion: version, timeoutSeconds: '1' };
      assert.deepEqual(await watch('timeout', query), []);
    });

    test('a bookmark is little more than a version', async () => {
      const version = await createDaemonSet(server, 'bookmark');
      const query = { allowWatchBookmarks: 'true', resourceVersion: version, timeoutSeconds: '90' };
      const [bookmark] = await watch('bookmark', query, 1);
      assert.equal(bookmark?.type, 'BOOKMARK');
      const { kind, metadata } = bookmark?.object ?? {};
      assert.equal(kind, 'DaemonSet');
      assert.ok(Number(metadata.resourceVersion) >= Number(version));
      // The lock is not among them although nobody removed it: no reason to take it for free.
      assert.deepEqual(metadata.annotations, { 'deprecated.daemonset.template.generation': '0' });
      assert.equal(metadata.name ?? '', '');
    });

    test('a watch from a version no longer known is gone, in the stream', async () => {
      const version = await createDaemonSet(server, 'gone');
      await annotate(server, 'gone', 'node-1');
      await server.compact();
      const [event] = await watch('gone', { resourceVersion: version }, 1);
      assert.deepEqual(
        [event?.type, event?.object.kind, event?.object.code, event?.object.reason],
        ['ERROR', 'Status', 410, 'Expired'],
      );
      assert.match(event?.object.message, /^too old resource version: \d+ \(\d+\)$/);
    });

    test('a watch from "0" shows what there is, then goes on', async () => {
      await createDaemonSet(server, 'any');
      await annotate(server, 'any', 'node-1');
      await server.compact();
      const changed = setTimeout(() => void annotate(server, 'any', 'node-2'), 300);
      const events = await watch('any', { resourceVersion: '0' }, 2);
      clearTimeout(changed);
      assert.deepEqual(
        events.map(({ type, object }) => [type, object.metadata.annotations?.[LOCK_ANNOTATION]]),
        [
          ['ADDED', 'node-1'],
          ['MODIFIED', 'node-2'],
        ],
      );
    });

    test('node conditions merge by type', async () => {
      await createNode(server, 'node-1');
      const report = (type: string, status: string) =>
        server.request('/api/v1/nodes/node-1/status', {
          method: 'PATCH',
          type: 'application/strategic-merge-patch+json',
          body: { status: { conditions: [{ type, status }] } },
        });
      await report('A', 'True');
      await report('B', 'True');
      const { status, body } = await report('A', 'False');
      assert.equal(status, 200);
      const conditions = body.status.conditions as { type: string; status: string }[];
      const seen = conditions.map(({ type, status: value }) => [type, value]).sort();
      assert.deepEqual(seen, [
        ['A', 'False'],
        ['B', 'True'],
      ]);
    });

    test('a wrong token is refused', async () => {
      const answer = await server.request(daemonSetPath('get'), { token: 'wrong' });
      assert.deepEqual(failure(answer), {
        status: 401,
        kind: 'Status',
        reason: 'Unauthorized',
        code: 401,
        message: 'Unauthorized',
      });
    });
  });
}
