import { API_FAULTS } from './api-faults.ts';
import type { Faults } from './apiserver.ts';
import type { VirtualClock } from './clock.ts';
import type { RebootFailure } from './hosts.ts';
import type { Delay } from './network.ts';
import { NODE_FAULTS } from './node-faults.ts';
import type { Random } from './random.ts';
import { REBOOT_FAULTS } from './reboot-faults.ts';
import { WATCH_FAULTS } from './watch-faults.ts';

/** What a fault can see and do. */
export interface Stage {
  clock: VirtualClock;
  /** Its own stream. */
  random: Random;
  nodes: readonly string[];
  /** The lock's value in the store. */
  holder(): string;
  api: {
    pause(): Promise<void>;
    resume(): Promise<void>;
    dropWatches(): void;
    freezeWatches(): void;
    /** Forgets all older versions. */
    compact(): void;
    /** Another writer changes the DaemonSet's status. */
    touch(): void;
  };
  /** Ends the process of an upgrading node; it comes back after `downMs`. */
  restart(node: string, downMs: number): void;
  /** Kills a node's process wherever its run is; it comes back after `downMs`. */
  kill(node: string, downMs: number): void;
  /** Tells the reader what is being done. */
  note(text: string): void;
}

/** Something that goes wrong, with what it may lead to. */
export interface Fault extends Faults {
  /** All nodes tick now. */
  begin?(): void;
  /** How long one way between a node and the API server takes. */
  delay?: Delay;
  /** How long the nodes may wait for the lock. */
  windowMs?: number;
  /** When a silent watch is given up; bookmarks come a little more often. */
  stallMs?: number;
  /** Why the upgrade of a node fails, or null. */
  hostFailure?(node: string): string | null;
  upgradeStarted?(node: string): void;
  /** How the reboot of a node goes wrong, or null. */
  rebootFailure?(node: string): RebootFailure | null;
  /** A node with a pod that its budget never lets go. */
  blockedNode?: string;
  drainStarted?(node: string): void;
  /** Whether a node's run may end as failed with `error`. */
  mayFail?(node: string, error: string): boolean;
  /** The nodes whose run has to fail. */
  mustFail?: readonly string[];
}

export interface FaultKind {
  about: string;
  /** Without it there is nothing to go wrong. */
  needs?: 'reboot' | 'drain';
  create(stage: Stage): Fault;
}

export const FAULTS: Record<string, FaultKind> = {
  none: { about: 'nothing goes wrong', create: () => ({}) },
  ...API_FAULTS,
  ...WATCH_FAULTS,
  ...NODE_FAULTS,
  ...REBOOT_FAULTS,
};

/** What a rehearsal shows that was asked for nothing else. */
export const DEFAULT_FAULTS = ['conflict'];
