import { setTimeout as delay } from 'node:timers/promises';

/** How long the listener continues after SIGTERM, so that a load balancer can see the change of /readyz and send its traffic elsewhere. */
export const LINGER_MS = 2000;
/** How long requests in flight may take after that. */
export const DRAIN_MS = 20_000;

/** The first signal's name. A second one ends the process immediately, as if there were no handler. */
export function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}

/** Waits for something, but not longer than so many milliseconds. */
export async function atMost(milliseconds: number, work: Promise<unknown> | undefined): Promise<void> {
  const done = new AbortController();
  const patience = delay(milliseconds, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
  await Promise.race([work, patience]);
  done.abort();
}
