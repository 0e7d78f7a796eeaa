import type { Moment, PodView } from './history.ts';

/** What was wrong with a history, a line each: what, where, at which revision of the cluster. */
export type Findings = string[];

/** Moments in which more than one node was cordoned. */
export function twoCordoned(moments: readonly Moment[]): Findings {
  return found(moments, (moment) => {
    const cordoned = cordonedOf(moment);
    return cordoned.length > 1 ? `cordoned at once: ${cordoned.join(', ')}` : '';
  });
}

/** Nodes that were cordoned while the lock was not theirs; `others`: cordoned by somebody else. */
export function cordonedWithoutLock(moments: readonly Moment[], others: string[] = []): Findings {
  return found(moments, (moment) => {
    const wrong = cordonedOf(moment).filter(
      (name) => name !== moment.lock && !others.includes(name),
    );
    return wrong.length > 0
      ? `cordoned: ${wrong.join(', ')}, while the lock is ${moment.lock || 'free'}`
      : '';
  });
}

/** Hosts that were down while the lock was not theirs. */
export function downWithoutLock(moments: readonly Moment[]): Findings {
  return found(moments, ({ down, lock }) => {
    const wrong = [...down].filter((name) => name !== lock);
    return wrong.length > 0 ? `down: ${wrong.join(', ')}, while the lock is ${lock || 'free'}` : '';
  });
}

/** Locks that went from one node to another without having been free. */
export function takeovers(moments: readonly Moment[]): Findings {
  return moments.flatMap(({ lock, revision }, index) => {
    const before = moments[index - 1]?.lock ?? '';
    const isTaken = before !== '' && lock !== '' && before !== lock;
    return isTaken ? [`the lock went from ${before} to ${lock} (revision ${revision})`] : [];
  });
}

/** Moments with fewer pods of `app` at work than its budget allows, since all were ready once. */
export function belowBudget(
  moments: readonly Moment[],
  app: string,
  { replicas = 3, minAvailable = 2 } = {},
): Findings {
  const since = moments.findIndex((moment) => atWork(moment, app).length >= replicas);
  if (since < 0) return [`${app} never had ${replicas} pods at work`];
  return found(moments.slice(since), (moment) => {
    const count = atWork(moment, app).length;
    return count < minAvailable
      ? `${app} has ${count} of at least ${minAvailable} pods at work`
      : '';
  });
}

/** Nodes in the order in which they got the lock. */
export function holders(moments: readonly Moment[]): string[] {
  const changed = moments.filter(({ lock }, index) => lock !== (moments[index - 1]?.lock ?? ''));
  return changed.map(({ lock }) => lock).filter((lock) => lock !== '');
}

/** The values that `of` had, one after the other, each once until it changed. */
export function course<T extends string>(
  moments: readonly Moment[],
  of: (moment: Moment) => T,
): T[] {
  return moments.map(of).filter((value, index, all) => value !== all[index - 1]);
}

function cordonedOf({ nodes }: Moment): string[] {
  return [...nodes].filter(([, node]) => node.isCordoned).map(([name]) => name);
}

/** Ready, not being deleted, and on a host that is up. */
function atWork({ pods, down }: Moment, app: string): PodView[] {
  return [...pods.values()].filter(
    (pod) => pod.labels.app === app && pod.isReady && !pod.isLeaving && !down.has(pod.node),
  );
}

/** The first moment of each stretch of moments with the same problem. */
function found(moments: readonly Moment[], problem: (moment: Moment) => string): Findings {
  return moments.flatMap((moment, index) => {
    const before = moments[index - 1];
    const text = problem(moment);
    const isNew = text !== '' && (before === undefined || problem(before) !== text);
    return isNew ? [`${text} (revision ${moment.revision})`] : [];
  });
}
