import type { RunEvent } from '../../machines/events.ts';
import type { HostInfo } from '../../src/host/probe.ts';

/** What an agent's process asks of the machine that it runs on. */
export type Question = { id: number } & (
  | { ask: 'info' }
  | { ask: 'isUpgrading' }
  | { ask: 'upgrade'; run: string; resumed: boolean }
  | { ask: 'reboot' }
);

/** An answer, or one event of several; the last one says so. */
export interface Reply {
  id: number;
  info?: HostInfo;
  isUpgrading?: boolean;
  event?: RunEvent;
  isLast: boolean;
}

/** What an agent's process tells of the API server: an answer, by its status or its failure. */
export interface Answered {
  answered: string;
}
