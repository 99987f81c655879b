/** Waits so many milliseconds. Rejects with the signal's reason as soon as it is aborted; no timer is left behind. */
export function pause(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    // Timers of more than 2^31 ms fire at once.
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(milliseconds, 2 ** 31 - 1),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}
