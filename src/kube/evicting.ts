import { pause } from './clock.ts';
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, type Drain, DrainError } from './drain-input.ts';
import { type EvictionAnswer, evictPod } from './eviction.ts';
import { firmClient } from './firm.ts';
import { type Pod, podId } from './pods.ts';

/** A pod that leaves the node. */
export interface Leaver {
  /** As it was last seen. */
  pod: Pod;
  /** It had ended by itself before it was asked to go, and is in nobody's way. */
  wasFinished: boolean;
  /** A request for its eviction is under way, or waits for its turn. */
  isAsking: boolean;
  /** What its eviction has come to; null: it is still asked for, or never was. */
  outcome: 'accepted' | 'gone' | 'left' | null;
  /** Aborted as soon as it need no longer be evicted. */
  signal: AbortSignal;
}

/**
 * Asks for the pod's eviction until it is accepted, not needed any more or impossible. Emits
 * pod.evicted, and pod.blocked for the first refusal and where another one follows. Throws
 * DrainError where it is impossible.
 */
export async function evictPatiently(drain: Drain, leaver: Leaver): Promise<void> {
  const { clock, emit, warn } = drain;
  const client = firmClient(drain.client, clock);
  const pod = podId(leaver.pod);
  let backoffMs = BACKOFF_FIRST_MS;
  let told = '';
  while (!leaver.signal.aborted) {
    const answer = await ask({ ...drain, client }, leaver);
    if (answer === null) return;
    if (answer.kind === 'accepted') emit({ type: 'pod.evicted', pod });
    if (answer.kind === 'accepted' || answer.kind === 'gone') {
      leaver.outcome = answer.kind;
      return;
    }
    if (leaver.wasFinished) {
      leaver.outcome = 'left';
      warn(`pod ${pod}, which has ended, is left on the node: ${answer.message}`);
      return;
    }
    if (answer.kind === 'impossible') throw new DrainError(answer.message);
    const { message, budget, retryInMs } = answer;
    const pauseMs = retryInMs ?? backoffMs;
    backoffMs = retryInMs === null ? Math.min(backoffMs * 2, BACKOFF_MAX_MS) : BACKOFF_FIRST_MS;
    if (message !== told) emit({ type: 'pod.blocked', pod, budget, message, retryInMs: pauseMs });
    told = message;
    await pause(pauseMs, leaver.signal, clock);
  }
}

/** null: by the time of its turn there was nothing left to ask for. */
async function ask(drain: Drain, leaver: Leaver): Promise<EvictionAnswer | null> {
  const { client, input, signal, limit } = drain;
  leaver.isAsking = true;
  try {
    return await limit(async () =>
      leaver.signal.aborted ? null : evictPod(client, leaver.pod, input.gracePeriodS, signal),
    );
  } finally {
    leaver.isAsking = false;
  }
}
