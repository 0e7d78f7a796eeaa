import type { Out } from './main.ts';

const EVERY_MS = 1_000;

/**
 * Tells a person at a terminal how far long work is: nothing within the first second, then a line
 * a second. `nowMs`: in ms, from any moment on.
 */
export function progressOn(
  err: Out,
  nowMs: () => number = () => performance.now(),
): (text: string) => void {
  let saidMs = nowMs();
  return (text) => {
    const now = nowMs();
    if (err.isTTY !== true || now - saidMs < EVERY_MS) return;
    saidMs = now;
    err.write(`host-upgrades: ${text}\n`);
  };
}
