import type { HostStatus } from './events.ts';
import type { Verdict } from './lock.ts';

/** A log line as message and parameters; src/trace gives it its classic text. */
export type Line =
  | { id: 'run.acquiring' }
  | { id: 'run.native' }
  | { id: 'run.adopting' }
  | { id: 'lock.get' }
  | { id: 'lock.wait' }
  | { id: 'lock.test'; value: string; verdict: Verdict }
  | { id: 'lock.watch'; resourceVersion: string }
  | { id: 'lock.watch.ended'; message: string }
  | { id: 'lock.wait.ok' }
  | { id: 'lock.wait.err'; message: string }
  | { id: 'lock.acquire' }
  | { id: 'lock.set'; value: string }
  | { id: 'lock.update' }
  | { id: 'lock.conflict'; message: string }
  | { id: 'lock.release' }
  | { id: 'lock.clear'; value: string }
  | { id: 'run.acquire.retrying'; message: string }
  | { id: 'run.release.retrying'; message: string }
  | { id: 'run.deadline' }
  | { id: 'run.stopped' }
  | { id: 'run.upgrading' }
  | { id: 'run.left' }
  | { id: 'run.resuming' }
  | { id: 'host.output'; text: string }
  | { id: 'node.condition'; status: HostStatus; error: string | null }
  | { id: 'node.skipped' }
  | { id: 'run.upgrade.failed'; message: string }
  | { id: 'run.no-reboot' }
  | { id: 'run.reboot.skipped' }
  | { id: 'run.releasing' }
  | { id: 'run.done' }
  | { id: 'run.failed'; message: string };
