import type { Line } from '../../machines/lines.ts';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { DEADLINE_ERROR } from '../../machines/setup.ts';

/** Where the lines of a run belong: names that stand in their text. */
export interface Names {
  namespace: string;
  daemonSet: string;
  node: string;
}

/** The text of a line in the original's words, without time. Source: ../shared/reference.md. */
export function formatLine(line: Line, names: Names): string {
  const text = formatLock(line, names);
  if (text !== null) return `kube/lock ${names.namespace}/daemonsets/${names.daemonSet}: ${text}`;
  switch (line.id) {
    case 'run.acquiring':
      return 'Acquiring kube lock...';
    case 'run.native':
      return 'Skip kube locking';
    case 'run.adopting':
      return 'Adopting the upgrade that is still running...';
    case 'node.skipped':
      return 'Skip kube node condition';
    case 'run.acquire.retrying':
      return `Acquiring kube lock failed, retrying: ${line.message}`;
    case 'run.release.retrying':
      return `Releasing kube lock failed, retrying: ${line.message}`;
    case 'run.deadline':
      return DEADLINE_ERROR;
    case 'run.stopped':
      return 'Stopped before the kube lock was acquired';
    case 'run.upgrading':
      return 'Running host upgrades...';
    case 'run.left':
      return 'Stopping, the next start goes on with this run...';
    case 'run.resuming':
      return 'Resuming the interrupted run...';
    case 'host.output':
      return `host: ${line.text}`;
    case 'node.condition':
      return `Update kube node ${names.node} condition for status={${line.status.rebootRequired} ${line.status.detail}} with error: ${line.error ?? '<nil>'}`;
    case 'run.upgrade.failed':
      return `Upgrade failed, releasing kube lock... (${line.message})`;
    case 'run.no-reboot':
      return 'No reboot required';
    case 'run.reboot.skipped':
      return 'Reboot required, but skipping without --reboot';
    case 'run.releasing':
      return 'Releasing kube lock...';
    case 'run.done':
      return 'Done';
    case 'run.failed':
      return line.message;
    default:
      throw new Error(`no text for the line ${line.id}`);
  }
}

function formatLock(line: Line, names: Names): string | null {
  switch (line.id) {
    case 'lock.get':
      return 'get';
    case 'lock.wait':
      return 'wait';
    case 'lock.test':
      return `test ${LOCK_ANNOTATION}=${line.value}: ${line.verdict}`;
    case 'lock.watch':
      return `watch ${listOptions(names.daemonSet, line.resourceVersion)}`;
    case 'lock.watch.ended':
      return `watch ended: ${line.message}`;
    case 'lock.wait.ok':
      return 'wait ok';
    case 'lock.wait.err':
      return `wait err: ${line.message}`;
    case 'lock.acquire':
      return 'acquire';
    case 'lock.set':
      return `set ${LOCK_ANNOTATION}=${line.value}`;
    case 'lock.update':
      return 'update';
    case 'lock.conflict':
      return `retry modify conflict: ${line.message}`;
    case 'lock.release':
      return 'release';
    case 'lock.clear':
      return `clear ${LOCK_ANNOTATION}=${line.value}`;
    default:
      return null;
  }
}

/** The original printed its Go struct; log readers match on it, so it stays. */
function listOptions(name: string, resourceVersion: string): string {
  return `v1.ListOptions{TypeMeta:v1.TypeMeta{Kind:"", APIVersion:""}, LabelSelector:"", FieldSelector:"metadata.name=${name}", IncludeUninitialized:false, Watch:false, ResourceVersion:"${resourceVersion}", TimeoutSeconds:(*int64)(nil), Limit:0, Continue:""}`;
}
