import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves after so many milliseconds, or immediately when the signal fires.
 * @param idle Such a pause does not keep the process alive.
 */
export async function pause(milliseconds: number, until: AbortSignal, { idle = false } = {}): Promise<void> {
  await sleep(milliseconds, undefined, { signal: until, ref: !idle }).catch(() => undefined);
}
