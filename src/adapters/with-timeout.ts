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
