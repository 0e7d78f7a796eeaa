import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuditEntry, forbidden, type Grant, parseAudit, unused } from './audit.ts';

const entry = (verb: string, ref: AuditEntry['objectRef'], decision = 'allow'): string =>
  `${JSON.stringify({ verb, objectRef: ref, annotations: { 'authorization.k8s.io/decision': decision } })}\n`;
const daemonSet = {
  apiGroup: 'apps',
  resource: 'daemonsets',
  namespace: 'kube-system',
  name: 'hu',
};
const eviction = { resource: 'pods', subresource: 'eviction', namespace: 'default', name: 'x' };
const GRANTS: Grant[] = [
  {
    namespace: 'kube-system',
    rules: [
      {
        apiGroups: ['apps'],
        resources: ['daemonsets'],
        resourceNames: ['hu'],
        verbs: ['get', 'patch'],
      },
    ],
  },
  { namespace: '', rules: [{ apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] }] },
];

test('all that is granted is used', () => {
  const log = [entry('get', daemonSet), entry('patch', daemonSet), entry('create', eviction)];
  assert.deepEqual(unused(parseAudit(log.join('')), GRANTS), []);
});

test('another object, another namespace and a subresource are not what was granted', () => {
  const log = [
    entry('get', { ...daemonSet, name: 'other' }),
    entry('patch', { ...daemonSet, namespace: 'default' }),
    entry('create', { resource: 'pods', namespace: 'default', name: 'x' }),
  ];
  assert.deepEqual(unused(parseAudit(log.join('')), GRANTS), [
    'create pods/eviction',
    'get apps/daemonsets in kube-system',
    'patch apps/daemonsets in kube-system',
  ]);
});

test('what the roles refused is told once; what the server refused for another reason is not', () => {
  const log = [
    entry('create', eviction, 'forbid'),
    entry('create', { ...eviction, name: 'y' }, 'forbid'),
    entry('get', daemonSet),
  ];
  assert.deepEqual(forbidden(parseAudit(log.join(''))), ['create pods/eviction in default']);
});

test('what a server refuses while it starts, and allows later, is no matter of roles', () => {
  const log = [
    entry('get', daemonSet, 'forbid'),
    entry('get', { ...daemonSet, name: 'other' }, 'forbid'),
    entry('get', daemonSet),
  ];
  assert.deepEqual(forbidden(parseAudit(log.join(''))), ['get apps/daemonsets in kube-system']);
});
