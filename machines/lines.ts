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
  /** Nobody can say whether a reboot is required. */
  | { id: 'run.reboot.unknown'; message: string }
  /** Required, and not done in this run. */
  | { id: 'run.reboot.repeated'; cause: string }
  | { id: 'run.reboot.again' }
  | { id: 'run.reboot.kept' }
  | { id: 'run.reboot.pending' }
  | { id: 'run.reboot.draining' }
  | { id: 'run.reboot.drained' }
  | { id: 'run.reboot.undrained' }
  | { id: 'run.drain.first' }
  | { id: 'run.recovering' }
  | { id: 'drain.begin' }
  | { id: 'drain.command' }
  | { id: 'drain.evicted'; pod: string }
  | { id: 'drain.gone'; pod: string }
  | { id: 'drain.blocked'; pod: string; budget: string | null; message: string; retryInMs: number }
  | { id: 'drain.output'; text: string }
  | { id: 'drain.retrying'; message: string }
  | { id: 'node.uncordoned' }
  | { id: 'reboot.marked'; at: string }
  | { id: 'reboot.begin' }
  | { id: 'reboot.retrying'; message: string }
  | { id: 'reboot.shutdown' }
  | { id: 'reboot.leaving' }
  | { id: 'reboot.done'; at: string; bootMs: number }
  | { id: 'run.releasing' }
  | { id: 'run.done' }
  | { id: 'run.failed'; message: string };
