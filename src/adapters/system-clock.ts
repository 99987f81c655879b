import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../core/shared/clock.js';

/** Resolves at the next turn, as `Clock` has it, for adapters that collect requests. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }

  elapsed(): number {
    return performance.now();
  }

  async pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { ref: false });
  }

  readonly nextTurn = nextTurn;
}

/**
 * The result of `work`, without waiting beyond the signal. Not for a promise that is raced against again and again: that would keep all that
 * has arrived in memory until its end.
 */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}

/**
 * The result, or an Error that says `late` when it has not arrived after so many milliseconds. Later results are dropped. A result that
 * arrived in time, and was not read because this process was busy, counts.
 */
export function withTimeout<T>(answer: Promise<T>, milliseconds: number, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    // Timers run before arrived data is processed, and immediates after it.
    const timer = setTimeout(() => setImmediate(() => reject(new Error(late))), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
