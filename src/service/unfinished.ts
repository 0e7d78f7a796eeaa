import type { JournalFile } from '../journal/file.ts';
import type { FoldedRun } from '../journal/fold.ts';
import type { Log } from '../log/log.ts';

/** The journal's last run where it has not ended and is about this lock. */
export function unfinishedRun(
  { last }: JournalFile,
  names: { namespace: string; daemonSet: string; node: string },
  log: Log,
): FoldedRun | null {
  if (last?.snapshot.status !== 'active') return null;
  const { namespace, daemonSet, node } = last.snapshot.context;
  if (namespace === names.namespace && daemonSet === names.daemonSet && node === names.node) {
    return last;
  }
  const its =
    daemonSet === '' ? 'no Kubernetes' : `${namespace}/daemonsets/${daemonSet} and ${node}`;
  log.say('warn', `Run ${last.run} had not ended; it was about ${its} and is left as it is`);
  return null;
}
