// What to do when the service does not answer: try again, after waits that grow, and say when.

import { Refused } from './import-service.js';

/** Of one request, before anybody is told. */
export const ATTEMPTS = 5;

const WAIT_SECONDS = [5, 10, 20, 40, 60];

export class Retries {
  /** Until the next one; null: none is planned. */
  seconds: number | null = null;
  private failures = 0;
  private timer: ReturnType<typeof setInterval> | null = null;
  private readonly retry: () => void;
  private readonly counted: () => void;

  /** @param counted Called each second until then. */
  constructor(retry: () => void, counted: () => void) {
    this.retry = retry;
    this.counted = counted;
  }

  plan(): void {
    this.cancel();
    this.seconds = WAIT_SECONDS[Math.min(this.failures, WAIT_SECONDS.length - 1)] ?? 0;
    this.failures += 1;
    this.timer = setInterval(() => this.count(), 1000);
  }

  cancel(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    this.seconds = null;
  }

  /** It answers again: the next wait is a short one. */
  succeeded(): void {
    this.failures = 0;
  }

  private count(): void {
    this.seconds = (this.seconds ?? 1) - 1;
    if (this.seconds > 0) this.counted();
    else {
      this.cancel();
      this.retry();
    }
  }
}

/** Goes on asking while the answer may be another one soon. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refused) || !error.mayPass || error.status === 401 || attempt === ATTEMPTS) throw error;
      await pauseAfter(attempt);
    }
  }
}

/** 0.3 to 5 seconds. */
export function pauseAfter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, attempt ** 2 * 300));
}
