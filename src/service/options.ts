import type { Disruption } from '../../machines/events.ts';
import type { Commands } from '../host/commands.ts';
import type { Level } from '../log/level.ts';
import type { LogFormat } from '../log/log.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { Names } from '../trace/format.ts';

/** What `run` was asked to do, checked. */
export interface RunOptions {
  /** null: runs once. */
  schedule: Schedule | null;
  /** The time zone of the schedule and of the log. */
  zone: string;
  /** 0: no deadline. */
  windowMs: number;
  configPath: string;
  hostMount: string;
  statePath: string;
  kubeconfig: string;
  /** null: native mode. */
  kube: Names | null;
  disruption: Disruption;
  commands: Commands;
  /** Of /healthz and /readyz; null: none. */
  healthPort: number | null;
  /** HOST:PORT of the inspector; null: none. */
  inspect: string | null;
  logFormat: LogFormat;
  logLevel: Level;
}
