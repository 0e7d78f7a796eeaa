import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { concatMap, from, of } from 'rxjs';
import { createActor, fromEventObservable, waitFor } from 'xstate';
import type { RunEvent, RunInput } from '../../machines/events.ts';
import type { Line } from '../../machines/lines.ts';
import { runMachine } from '../../machines/run.ts';
import type { LockActorInput } from '../../machines/setup.ts';
import { kubeActors } from '../../src/kube/actors.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { acquireLock } from '../../src/kube/lock.ts';
import { createNode } from '../../src/kube/node.ts';
import { formatLine } from '../../src/trace/format.ts';
import { missing } from '../cluster/build.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { INPUT } from '../machines/input.ts';
import { requires } from '../requires.ts';
import { annotate, clientOf, createDaemonSet } from './objects.ts';

interface Situation {
  trace: string;
  input: RunInput;
  /** How the trace names this node and the other one. */
  names: [string, string];
  /** The version that the watch starts from. */
  version: string;
}

/** The lines of a documented trace, without times and with this run's names. */
function documented({ trace, input, names, version }: Situation, url: string): string[] {
  const text = readFileSync(new URL(`../traces/${trace}`, import.meta.url), 'utf8');
  const { host } = new URL(url);
  return text
    .split('\n')
    .filter((row) => row !== '' && !row.includes('Schedule run'))
    .map((row) =>
      row
        .slice('2018/05/31 11:40:00 '.length)
        // Today's HTTP library quotes the address.
        .replace(/Get https:\/\/10\.96\.0\.1:443(\S+): dial/, `Get "${url}$1": dial`)
        .replace('10.96.0.1:443', host)
        .replaceAll(
          /(daemonsets\/|name=|daemonsets\.apps ")host-upgrades\b/g,
          `$1${input.daemonSet}`,
        )
        .replaceAll(`lock=${names[0]}`, `lock=${input.node}`)
        .replaceAll(`lock=${names[1]}`, 'lock=node-2')
        .replace(/ResourceVersion:"\d+"/, `ResourceVersion:"${version}"`),
    );
}

describe(
  'the documented situations on a real API server',
  requires('control plane', missing()),
  () => {
    let cluster: Cluster;
    let client: KubeClient;
    before(async () => {
      cluster = await startCluster();
      client = clientOf(cluster.kubeconfig);
    });
    after(async () => {
      await client?.close();
      await cluster?.stop();
    });

    /**
     * The live machine. Another node takes the lock between its first read and its first update;
     * `version` is what the lock then has.
     */
    const live = (input: RunInput, onLine: (line: Line) => void = () => {}) => {
      const lines: string[] = [];
      const lost = { version: '' };
      const node = createNode(client, input.node, Date.now, assert.fail);
      const race = async () => {
        if (lost.version === '') lost.version = await annotate(cluster, input.daemonSet, 'node-2');
      };
      const machine = runMachine.provide({
        actors: {
          ...kubeActors({ client, node, warn: assert.fail }),
          acquireLock: fromEventObservable<RunEvent, LockActorInput>(({ input: given }) =>
            from(race()).pipe(concatMap(() => acquireLock(client, given))),
          ),
          upgradeHost: fromEventObservable<RunEvent, { node: string; resumed: boolean }>(() =>
            of(),
          ),
        },
        actions: {
          log: (_, line: Line) => {
            lines.push(formatLine(line, input));
            onLine(line);
          },
        },
      });
      const actor = createActor(machine, { input });
      actor.start();
      return { actor, lines, lost };
    };

    test('another holder wins the race, and frees the lock 5 s later', async () => {
      const input = { ...INPUT, daemonSet: 'race', deadlineInMs: null, nodes: 2 };
      await createDaemonSet(cluster, 'race');
      const { actor, lines, lost } = live(input, ({ id }) => {
        if (id === 'lock.watch') setTimeout(() => void annotate(cluster, 'race', null), 5_000);
      });
      await waitFor(actor, (snapshot) => snapshot.matches('locked'), { timeout: 60_000 });
      actor.stop();
      const situation = {
        trace: 'conflict-then-watch.txt',
        input,
        names: ['centos-7', 'ubuntu-xenial'] as [string, string],
        version: lost.version,
      };
      assert.deepEqual(lines.slice(0, -1), documented(situation, cluster.url));
      assert.equal(lines.at(-1), 'Running host upgrades...');
    });

    test('the lock stays held past a 10 s window', async () => {
      const input = { ...INPUT, daemonSet: 'held', deadlineInMs: 10_000 };
      await createDaemonSet(cluster, 'held');
      const { actor, lines, lost } = live(input);
      await waitFor(actor, (snapshot) => snapshot.status === 'done', { timeout: 60_000 });
      const situation = {
        trace: 'deadline-while-waiting.txt',
        input,
        names: ['ubuntu-xenial', 'centos-7'] as [string, string],
        version: lost.version,
      };
      assert.deepEqual(lines, documented(situation, cluster.url));
    });

    test('the API server is down for the whole window', async () => {
      const input = { ...INPUT, daemonSet: 'down', deadlineInMs: 10_000 };
      await createDaemonSet(cluster, 'down');
      await cluster.stopApiServer();
      try {
        const { actor, lines } = live(input);
        await waitFor(actor, (snapshot) => snapshot.status === 'done', { timeout: 60_000 });
        const situation = {
          trace: 'api-down.txt',
          input,
          names: ['-', '-'] as [string, string],
          version: '',
        };
        assert.deepEqual(lines, documented(situation, cluster.url));
      } finally {
        await cluster.startApiServer();
      }
    });
  },
);
