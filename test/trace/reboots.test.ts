import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { replayLog } from '../../src/trace/replay.ts';

const read = (name: string) =>
  readFileSync(new URL(`../traces/original/reboot/${name}`, import.meta.url), 'utf8');
const DRAINED = read('reboot-with-drain.txt');
const UNDRAINED = read('reboot-without-drain.txt');
const LOCK = 'kube/lock kube-system/daemonsets/host-upgrades: ';
const KUBECTL = 'kubectl drain --delete-local-data --ignore-daemonsets --force node-012';

/** The log up to and with the line that matches. */
function upTo(log: string, pattern: RegExp): string {
  const rows = log.split('\n');
  const index = rows.findIndex((row) => pattern.test(row));
  assert.ok(index >= 0, String(pattern));
  return `${rows.slice(0, index + 1).join('\n')}\n`;
}

function timed(...texts: string[]): string {
  return texts.map((text) => `2026/12/01 04:31:12 ${text}\n`).join('');
}

const RELEASE = [
  'Releasing kube lock...',
  `${LOCK}get`,
  `${LOCK}release`,
  `${LOCK}clear pharos-host-upgrades.kontena.io/lock=node-012`,
  `${LOCK}update`,
];

/** Legal, and given back byte for byte. */
function assertReplays(log: string, lastState: string | null): void {
  const { divergence, records } = replayLog(log);
  assert.equal(divergence, null, JSON.stringify(divergence));
  assert.equal(records.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join(''), log);
  if (lastState !== null) assert.equal(records.at(-1)?.to, lastState);
}

describe('logs of drains and reboots', () => {
  test('the original’s: a drain that fails leaves the lock, and the node cordoned', () => {
    const failed =
      upTo(DRAINED, /kubectl drain .*\.\.\.$/) +
      timed('Upgrade failed, releasing kube lock... (exit status 1)', ...RELEASE, 'exit status 1');
    assertReplays(failed, 'failed');
  });

  test('the original’s: what kubectl had written before it failed', () => {
    const failed =
      upTo(DRAINED, /kubectl drain .*\.\.\.$/) +
      timed(
        `${KUBECTL}: node/node-012 cordoned\nerror: unable to drain node "node-012", aborting command...`,
        'Upgrade failed, releasing kube lock... (exit status 1)',
        ...RELEASE,
        'exit status 1',
      );
    assertReplays(failed, 'failed');
  });

  test('kubectl’s lines in between belong to others', () => {
    const begin = upTo(DRAINED, /kubectl drain .*\.\.\.$/);
    const between = timed('evicting pod "web-1"', 'pod/web-1 evicted');
    assertReplays(begin + between + DRAINED.slice(begin.length), null);
  });

  test('a reboot that never comes: the process waits, and the next one finds it so, again and again', () => {
    for (const log of [DRAINED, UNDRAINED]) {
      const waiting = upTo(log, /waiting for termination/);
      assertReplays(waiting, 'locked.rebooting.waiting');
    }
    const stuck = upTo(DRAINED, /is still rebooting/);
    const again = stuck.slice(upTo(DRAINED, /waiting for termination/).length);
    assertReplays(stuck + again + again, null);
  });

  test('a reboot that is refused', () => {
    const refused =
      upTo(DRAINED, /fake host: Reboot/) +
      timed('Upgrade failed, releasing kube lock... (Access denied)', ...RELEASE, 'Access denied');
    assertReplays(refused, 'failed');
  });

  test('this program’s: undone, with what it says of it', () => {
    const error = 'Failed to reboot host: the host is still up 300 s after it was told to';
    const undone =
      upTo(DRAINED, /waiting for termination/) +
      timed(
        `Upgrade failed, releasing kube lock... (${error})`,
        'Uncordoned drained kube node node-012 (with annotation pharos-host-upgrades.kontena.io/drain)',
        ...RELEASE,
        error,
      );
    assertReplays(undone, 'failed');
  });

  test('this program’s: the next process proves the boot and goes on', () => {
    const proven =
      upTo(DRAINED, /waiting for termination/) +
      timed(
        'host-upgrades version 0.1.0 (Node v24)',
        'Resuming the interrupted run...',
        'Kube node node-012 was rebooted (reboot=2026-12-01 04:31:09.086063932 +0000 UTC m=+0.183051211, boot=2026-12-01T04:31:11.000Z)...',
        'Uncordoned drained kube node node-012 (with annotation pharos-host-upgrades.kontena.io/drain)',
        ...RELEASE,
        'Done',
      );
    assertReplays(proven, 'done');
  });

  test('a log with any one line of a reboot missing is refused, or is another legal one', () => {
    const rows = upTo(DRAINED, /waiting for termination/).split('\n');
    const ours = rows.findIndex((row) => row.includes('Reboot required'));
    for (let index = ours; index < rows.length - 3; index += 1) {
      const row = rows[index] ?? '';
      if (!/^\d/.test(row) || row.includes('fake host')) continue;
      const log = rows.filter((_, at) => at !== index).join('\n');
      assert.notEqual(replayLog(log).divergence, null, `without ${row}`);
    }
  });

  test('a second reboot in one run, or one before the drain has ended, is refused', () => {
    const shutdown = '2026/12/01 04:31:09 Host is shutting down...';
    for (const log of [
      DRAINED.replace(shutdown, `${shutdown}\n${shutdown}`),
      DRAINED.replace(`2026/12/01 04:31:08 ${KUBECTL}...\n`, ''),
    ]) {
      assert.notEqual(log, DRAINED);
      assert.notEqual(replayLog(log).divergence, null);
    }
  });

  test('this program’s: an API failure in the middle, and a time that is none', () => {
    const begin = upTo(DRAINED, /Draining kube node/);
    const failure = timed(
      'Draining kube node failed, retrying: connection refused',
      'Draining kube node node-012 (with annotation pharos-host-upgrades.kontena.io/drain)...',
    );
    assertReplays(begin + failure + DRAINED.slice(begin.length), null);
    const garbage = timed(
      'Recovering what an earlier run has left...',
      'Kube node n1 was rebooted (reboot=x, boot=garbage)...',
    );
    assert.doesNotThrow(() => replayLog(garbage));
  });
});
