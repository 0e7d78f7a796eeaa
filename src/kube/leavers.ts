import { childController } from './abort.ts';
import type { Drain } from './drain-input.ts';
import { evictPatiently, type Leaver } from './evicting.ts';
import {
  controllerOf,
  deletingForMs,
  isDeleting,
  isFinished,
  type Pod,
  podId,
  toleratesCordon,
} from './pods.ts';

/** The pods that are leaving the node. */
export interface Leavers {
  /** What kubectl would have written of them so far. */
  output: string[];
  /** Takes in what is listed now: new pods are asked to go, and missing ones are gone. */
  update(pods: readonly Pod[]): void;
  isAnyInTheWay(): boolean;
}

/** `fail` is called where one of them can never be evicted. */
export function createLeavers(drain: Drain, fail: (error: unknown) => void): Leavers {
  const { clock, input, emit } = drain;
  const leavers = new Map<string, Leaver & { end(): void }>();
  /** Names and controllers of all that have ever left. */
  const seen = new Set<string>();
  const skipped = new Set<string>();
  const output: string[] = [];

  /**
   * A pod that was on its way here when the node was cordoned leaves too. One that a cordon does not
   * keep away, in place of a pod that has left, would be put here again, and again.
   */
  const isBack = (pod: Pod) =>
    seen.has(podId(pod)) || (toleratesCordon(pod) && seen.has(controllerOf(pod)?.uid ?? ''));
  const evict = (leaver: Leaver) => {
    leaver.outcome = null;
    evictPatiently(drain, leaver).catch(fail);
  };
  const add = (pod: Pod) => {
    const { controller, release } = childController(drain.signal);
    const end = () => {
      controller.abort();
      release();
    };
    const wasFinished = isFinished(pod);
    const { signal } = controller;
    const leaver = { pod, wasFinished, isAsking: false, outcome: null, signal, end };
    leavers.set(pod.metadata.uid, leaver);
    if (isDeleting(pod)) return end();
    output.push(`evicting pod ${podId(pod)}`);
    evict(leaver);
  };
  const see = (leaver: Leaver & { end(): void }, pod: Pod | undefined) => {
    // Its answer may be on its way: it comes first.
    if (leaver.isAsking) return;
    if (pod === undefined) {
      leaver.end();
      leavers.delete(leaver.pod.metadata.uid);
      output.push(`pod/${leaver.pod.metadata.name} evicted`);
      emit({ type: 'pod.gone', pod: podId(leaver.pod) });
      return;
    }
    leaver.pod = pod;
    if (isDeleting(pod)) leaver.end();
    // The answer that it is gone was not about this pod.
    else if (leaver.outcome === 'gone') evict(leaver);
  };
  const isSkipped = ({ pod }: Leaver) => {
    const forMs = deletingForMs(pod, clock.nowMs());
    const limitS = input.skipWaitForDeleteTimeoutS;
    if (limitS === 0 || forMs === null || forMs <= limitS * 1_000) return false;
    const { name, uid } = pod.metadata;
    if (!skipped.has(uid)) {
      output.push(`pod "${name}" has DeletionTimestamp older than ${limitS} seconds, skipping`);
    }
    skipped.add(uid);
    return true;
  };

  return {
    output,
    update(pods) {
      const here = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
      for (const [uid, leaver] of leavers) see(leaver, here.get(uid));
      const added = pods.filter((pod) => !leavers.has(pod.metadata.uid) && !isBack(pod));
      for (const pod of added) add(pod);
      for (const pod of added) {
        seen.add(podId(pod));
        const controller = controllerOf(pod);
        if (controller) seen.add(controller.uid);
      }
    },
    isAnyInTheWay: () =>
      [...leavers.values()].some(
        (leaver) => leaver.isAsking || !(leaver.wasFinished || isSkipped(leaver)),
      ),
  };
}
