import type { Line } from '../../machines/lines.ts';
import { LOCK_ANNOTATION } from '../../machines/lock.ts';
import { DEADLINE_ERROR } from '../../machines/setup.ts';

/** Where the lines of a run belong: names that stand in their text. */
export interface Names {
  namespace: string;
  daemonSet: string;
  node: string;
}

const DRAIN_ANNOTATION = 'pharos-host-upgrades.kontena.io/drain';
const REBOOT_ANNOTATION = 'pharos-host-upgrades.kontena.io/reboot';

/** Also of a time that no clock can show. */
function timeOf(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}

/** What the original ran; log readers match on it, so it stays. */
function drainCommand(node: string): string {
  return `kubectl drain --delete-local-data --ignore-daemonsets --force ${node}`;
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
    case 'run.reboot.unknown':
      return `Reboot check failed, not rebooting: ${line.message}`;
    case 'run.reboot.repeated':
      return `Reboot still required after a proven reboot, with nothing installed since: not rebooting again (${line.cause})`;
    case 'run.reboot.again':
      return 'Reboot required again after the reboot of this run, kept for the next one';
    case 'run.reboot.kept':
      return 'Reboot required, but the window is over: kept for the next one';
    case 'run.reboot.pending':
      return 'Reboot kept from an earlier window comes first...';
    case 'run.reboot.draining':
      return 'Reboot required, draining kube node...';
    case 'run.reboot.drained':
      return 'Reboot required, rebooting the drained kube node...';
    case 'run.reboot.undrained':
      return 'Reboot required, rebooting without draining kube node...';
    case 'run.drain.first':
      return 'Draining kube node before upgrades...';
    case 'run.recovering':
      return 'Recovering what an earlier run has left...';
    case 'drain.begin':
      return `Draining kube node ${names.node} (with annotation ${DRAIN_ANNOTATION})...`;
    case 'drain.command':
      return `${drainCommand(names.node)}...`;
    case 'drain.output':
      return `${drainCommand(names.node)}: ${line.text}`;
    case 'drain.evicted':
      return `drain: evicted pod ${line.pod}`;
    case 'drain.gone':
      return `drain: pod ${line.pod} is gone`;
    case 'drain.blocked':
      return `drain: pod ${line.pod} is blocked${line.budget === null ? '' : ` by PodDisruptionBudget ${line.pod.split('/')[0]}/${line.budget}`}, trying again in ${line.retryInMs} ms: ${line.message}`;
    case 'drain.retrying':
      return `Draining kube node failed, retrying: ${line.message}`;
    case 'node.uncordoned':
      return `Uncordoned drained kube node ${names.node} (with annotation ${DRAIN_ANNOTATION})`;
    case 'reboot.marked':
      return `Marking kube node ${names.node} for reboot (with annotation ${REBOOT_ANNOTATION}=${line.at})...`;
    case 'reboot.begin':
      return 'Rebooting...';
    case 'reboot.retrying':
      return `Rebooting failed, retrying: ${line.message}`;
    case 'reboot.shutdown':
      return 'Host is shutting down...';
    case 'reboot.leaving':
      return 'Leaving kube lock held for reboot, waiting for termination...';
    case 'reboot.done':
      return `Kube node ${names.node} was rebooted (reboot=${line.at}, boot=${timeOf(line.bootMs)})...`;
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
