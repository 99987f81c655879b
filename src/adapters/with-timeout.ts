/**
 * The answer, or an Error that says `late` when it has not come after so many milliseconds. What comes later is dropped. An answer that
 * is there by then, and was not read because this process was busy, counts.
 */
export function withTimeout<T>(answer: Promise<T>, milliseconds: number, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    // Timers come before what has arrived, and immediates after it.
    const timer = setTimeout(() => setImmediate(() => reject(new Error(late))), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
