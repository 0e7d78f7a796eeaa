import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCounts, since } from './server.ts';

const metrics = (gets: number, watches: number, changes: number) => `# TYPE
apiserver_longrunning_requests{group="apps",resource="daemonsets",scope="resource",verb="WATCH"} 3
apiserver_longrunning_requests{group="",resource="pods",scope="cluster",verb="WATCH"} 9
apiserver_request_total{code="200",component="apiserver",group="apps",resource="daemonsets",scope="resource",subresource="",verb="GET"} ${gets}
apiserver_request_total{code="200",component="apiserver",group="",resource="nodes",scope="resource",subresource="",verb="GET"} 2
apiserver_request_total{code="200",component="apiserver",group="",resource="nodes",scope="cluster",subresource="",verb="WATCH"} 5
apiserver_request_total{code="409",component="apiserver",group="apps",resource="daemonsets",scope="resource",subresource="",verb="PATCH"} 4
apiserver_request_total{code="200",component="apiserver",group="apps",resource="daemonsets",scope="resource",subresource="",verb="WATCH"} ${watches}
apiserver_request_total{code="200",component="apiserver",group="apps",resource="daemonsets",scope="cluster",subresource="",verb="LIST"} 1
apiserver_watch_events_total{group="apps",resource="daemonsets",version="v1"} ${changes}
apiserver_watch_events_total{group="",resource="nodes",version="v1"} 70
`;

test('what agents ask is counted by verb and code; the server’s own watches and lists are not', () => {
  assert.deepEqual(parseCounts(metrics(10, 6, 100)), {
    requests: { 'GET 200': 12, 'PATCH 409': 4, 'WATCH 200': 6 },
    changes: 100,
    openWatches: 3,
  });
});

test('between two counts stands what has changed', () => {
  const between = since(parseCounts(metrics(10, 6, 100)), parseCounts(metrics(13, 7, 130)));
  assert.deepEqual(between, { requests: { 'GET 200': 3, 'WATCH 200': 1 }, changes: 30 });
});
