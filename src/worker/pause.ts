import { setTimeout as sleep } from 'node:timers/promises';

const MAX_RETRY_MS = 5000;

/**
 * Resolves after so many milliseconds, or immediately when the signal fires.
 * @param idle Such a pause does not keep the process alive.
 */
export async function pause(milliseconds: number, until: AbortSignal, { idle = false } = {}): Promise<void> {
  await sleep(milliseconds, undefined, { signal: until, ref: !idle }).catch(() => undefined);
}

/** After so many consecutive failures, from the first on: a quarter of a second, half a second, one, two … up to five. */
export function retryMilliseconds(failures: number): number {
  return Math.min(MAX_RETRY_MS, 125 * 2 ** Math.min(failures, 10));
}
