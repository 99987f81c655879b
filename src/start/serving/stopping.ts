import { setTimeout as delay } from 'node:timers/promises';

/** How long the listener continues after SIGTERM, so that a load balancer can see the change of /readyz and send its traffic elsewhere. */
export const LINGER_MS = 2000;
/** How long requests in flight may take after that. */
export const DRAIN_MS = 20_000;
/** How long they may take in a process that was replaced: long enough for a large upload. */
export const HAND_OVER_MS = 600_000;
/** How long such a process keeps connections open on which nothing is requested. */
export const UNUSED_MS = 5000;

/** The first signal's name. A second one ends the process immediately, as if there were no handler. */
export function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}

/**
 * On SIGHUP, which asks services to reload. A terminal that is closed ends its programs by it: a service that was started in one still
 * ends. False there.
 */
export function onHangUp(act: () => void): boolean {
  if (process.stdin.isTTY || process.stdout.isTTY) return false;
  process.on('SIGHUP', act);
  return true;
}

/** Waits for something, but not longer than so many milliseconds. */
export async function atMost(milliseconds: number, work: Promise<unknown> | undefined): Promise<void> {
  const done = new AbortController();
  const patience = delay(milliseconds, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
  await Promise.race([work, patience]);
  done.abort();
}
