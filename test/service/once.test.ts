import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { of } from 'rxjs';
import { fromEventObservable } from 'xstate';
import type { Leftover, RunEvent } from '../../machines/events.ts';
import { disruptionOf, type LockActorInput, type NodeInput } from '../../machines/setup.ts';
import { openJournal } from '../../src/journal/file.ts';
import { createLog } from '../../src/log/log.ts';
import { createRunner, nativeActors } from '../../src/service/runner.ts';
import { runOnce } from '../../src/service/service.ts';

const CLOCK = {
  nowMs: Date.now,
  setTimeout: (run: () => void, delayMs: number) => setTimeout(run, delayMs),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
};

test('once: what was left on the cluster is put right, and then there is a run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'once-'));
  const calls: string[] = [];
  let lock = '';
  const lockPort = (name: string, event: () => RunEvent) =>
    fromEventObservable<RunEvent, LockActorInput>(() => {
      calls.push(name);
      return of(event());
    });
  const set = (value: string) => (): RunEvent => {
    lock = value;
    return { type: 'lock.updated', lock: { value, resourceVersion: '2' } };
  };
  const log = createLog({
    format: 'classic',
    level: 'info',
    write: () => {},
    isTerminal: false,
    hasColour: false,
    nowMs: Date.now,
  });
  const runner = createRunner({
    names: { namespace: 'kube-system', daemonSet: 'host-upgrades', node: 'node-1' },
    version: '1',
    journal: openJournal(join(folder, 'journal.ndjson'), assert.fail),
    clock: CLOCK,
    log,
    kubeActors: {
      ...nativeActors({ nowMs: Date.now }),
      readLock: lockPort('read', () => ({
        type: 'lock.read',
        lock: { value: lock, resourceVersion: '1' },
      })),
      acquireLock: lockPort('acquire', set('node-1')),
      releaseLock: lockPort('release', set('')),
      uncordonNode: fromEventObservable<RunEvent, NodeInput>(() => {
        calls.push('uncordon');
        return of({ type: 'node.uncordoned', done: true });
      }),
    },
    upgradeHost: () => {
      calls.push('upgrade');
      return of({ type: 'upgrade.finished', status: { rebootRequired: false, detail: '' } });
    },
    rebootHost: () => assert.fail('rebooted'),
    disruption: disruptionOf({}),
    boot: { bootId: 'one', bootMs: 0 },
    nodes: 1,
  });
  const leftover: Leftover = { isLocked: false, isCordoned: true, reboot: null };
  try {
    const beginning = { unfinished: null, before: { adopt: false, leftover } };
    const ports = { runner, log, clock: CLOCK, stop: new AbortController().signal };
    assert.equal(await runOnce(beginning, ports), true);
    assert.deepEqual(calls, ['uncordon', 'read', 'acquire', 'upgrade', 'read', 'release']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
