import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves after so many milliseconds, or at once when the signal fires.
 * @param idle Such a pause keeps no process from ending.
 */
export async function pause(milliseconds: number, until: AbortSignal, { idle = false } = {}): Promise<void> {
  await sleep(milliseconds, undefined, { signal: until, ref: !idle }).catch(() => undefined);
}
