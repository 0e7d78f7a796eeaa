import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { daemonSetPath, watchPath } from '../../src/kube/paths.ts';
import * as cluster from '../../src/rehearsal/cluster.ts';
import type { Fleet } from './fleet.ts';
import { NO_RUN } from './judge.ts';
import { lockOf } from './lock-of.ts';
import type { NodeSim } from './node.ts';
import type { NodePlan } from './plan.ts';
import type { Link } from './wire.ts';

const PATH = daemonSetPath(cluster.NAMESPACE, cluster.DAEMON_SET);
const RETRY_MS = 1_000;
const CONFLICT_MS = 15;
const DEAD_MS = 330_000;

/**
 * A node that still runs the program of 2018, as far as others see it: get, a PUT of the whole
 * object with its resourceVersion, a watch until the lock is free, and the same to let go.
 */
export function createOriginal(fleet: Fleet, plan: NodePlan): NodeSim {
  const { clock, wire, judge, history, plan: all } = fleet;
  const { name, upgradeMs } = plan;
  const link: Link = {
    node: name,
    isAlive: () => !isClosed,
    state: () => NO_RUN,
    effect: () => {},
    sawLock: (value) => judge.saw(name, value),
  };
  const client = wire.connect(link);
  let isClosed = false;
  let isRunning = false;
  let hadTurn = false;
  let isOver = false;

  const get = () => wire.send(link, { method: 'GET', path: PATH }) as Promise<DaemonSet>;
  const put = (object: DaemonSet, value: string) => {
    const { [LOCK_ANNOTATION]: _, ...others } = object.metadata.annotations ?? {};
    const annotations = value === '' ? others : { ...others, [LOCK_ANNOTATION]: value };
    const body = { ...object, metadata: { ...object.metadata, annotations } };
    return wire.send(link, { method: 'PUT', path: PATH, body });
  };
  const untilFree = async (object: DaemonSet) => {
    const path = watchPath(
      cluster.NAMESPACE,
      cluster.DAEMON_SET,
      object.metadata.resourceVersion,
      300,
    );
    const controller = new AbortController();
    // A connection that has died without a word: its TCP notices at last.
    const timer = clock.setTimeout(() => controller.abort(), DEAD_MS);
    const { body } = await client.open({ method: 'GET', path }, controller.signal);
    if (body === null) return;
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      const text = decoder.decode(chunk as Uint8Array);
      const isFree = text
        .split('\n')
        .filter((row) => row !== '')
        .some((row) => lockOf((JSON.parse(row) as { object: unknown }).object) === '');
      if (isFree) break;
    }
    clock.clearTimeout(timer);
    controller.abort();
  };
  /** Sets the lock to `value`: from '' when acquiring, and back. */
  const change = async (value: string) => {
    for (;;) {
      try {
        const object = await get();
        const held = lockOf(object) ?? '';
        if (value === '' && held !== name) return;
        if (value !== '' && held === name) return;
        if (value !== '' && held !== '') await untilFree(object);
        else {
          await put(object, value);
          return;
        }
      } catch (error) {
        if (isClosed) return;
        const isConflict = error instanceof ApiError && error.code === 409;
        await clock.sleep(isConflict ? CONFLICT_MS : RETRY_MS);
      }
    }
  };
  const run = async () => {
    if (isRunning) return;
    const isLate = isOver;
    isRunning = true;
    await change(name);
    judge.effect(name, 'upgrades');
    judge.disturbed(name, 'upgrade', true);
    await clock.sleep(upgradeMs);
    judge.disturbed(name, 'upgrade', false);
    await change('');
    history.tell(name, 'the original has had its turn');
    isRunning = false;
    hadTurn = hadTurn || isLate;
  };
  const tick = () => {
    if (isClosed) return;
    clock.background(run());
    clock.setTimeout(tick, all.periodMs);
  };
  return {
    start() {
      clock.setTimeout(() => {
        isOver = true;
      }, all.faultyMs);
      clock.setTimeout(tick, all.periodMs);
    },
    isGone: () => false,
    hadTurn: () => hadTurn,
    isAtRest: () => !isRunning,
    kill: () => {},
    stop: () => {},
    losePower: () => {},
    wipe: () => {},
    crashAt: () => {},
    jump: () => {},
    journal: () => [],
    checkJournal: () => {},
    close() {
      isClosed = true;
    },
  };
}

interface DaemonSet {
  metadata: { resourceVersion: string; annotations?: Record<string, string> };
}
