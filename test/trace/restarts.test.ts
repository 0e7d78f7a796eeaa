import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replayLog } from '../../src/trace/replay.ts';

const START = [
  'host-upgrades version 0.1.0 (Node v24)',
  'Using --kube-namespace=ns --kube-daemonset=ds --kube-node=n1',
];
const ACQUIRED = [
  'Schedule run started, deadline at 2026-12-01 05:30:45 +0000 UTC',
  'Acquiring kube lock...',
  'kube/lock ns/daemonsets/ds: get',
  'kube/lock ns/daemonsets/ds: wait',
  'kube/lock ns/daemonsets/ds: test pharos-host-upgrades.kontena.io/lock=: free',
  'kube/lock ns/daemonsets/ds: acquire',
  'kube/lock ns/daemonsets/ds: set pharos-host-upgrades.kontena.io/lock=n1',
  'kube/lock ns/daemonsets/ds: update',
];
const REBOOTED =
  'Kube node n1 was rebooted (reboot=2026-12-01T04:30:45.000Z, boot=2026-12-01T04:31:42.000Z)...';

const LOGS: Record<string, string[]> = {
  'a process that cleans up dies, and the next one finds the reboot done': [
    ...START,
    'Recovering what an earlier run has left...',
    ...START,
    'Resuming the interrupted run...',
    REBOOTED,
    'Done',
  ],
  'a kept reboot is confirmed and marked, without a line, and the process dies': [
    ...START,
    ...ACQUIRED,
    'Reboot kept from an earlier window comes first...',
    ...START,
    'Resuming the interrupted run...',
    REBOOTED,
    'kube/lock ns/daemonsets/ds: get',
    'kube/lock ns/daemonsets/ds: test pharos-host-upgrades.kontena.io/lock=n2: locked',
    'Broken lock: pharos-host-upgrades.kontena.io/lock=n2, expected n1',
  ],
  'a process that has waited for its turn is told to stop': [
    ...START,
    ...ACQUIRED.slice(0, 2),
    'Stopped before the kube lock was acquired',
  ],
};

for (const [title, rows] of Object.entries(LOGS)) {
  test(`restarts in a classic log: ${title}`, () => {
    const log = rows.map((row) => `2026/12/01 04:30:45 ${row}\n`).join('');
    const { divergence, records } = replayLog(log);
    assert.equal(divergence, null, JSON.stringify(divergence));
    assert.equal(records.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join(''), log);
  });
}
