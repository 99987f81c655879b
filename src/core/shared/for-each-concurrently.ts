/**
 * Runs a task for every value, with limited concurrency. After the first failure no more tasks are started; it is thrown once all running
 * ones have ended, in whatever way.
 */
export async function forEachConcurrently<T>(
  values: AsyncIterable<T>,
  concurrency: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const source = values[Symbol.asyncIterator]();
  const failures: unknown[] = [];
  // One at a time: not every source supports requesting the next value before it has returned this one.
  let turn: Promise<unknown> = Promise.resolve();
  const take = () => {
    const next = turn.then(() => source.next());
    turn = next.catch(() => undefined);
    return next;
  };
  const worker = async () => {
    try {
      for (let next = await take(); !next.done && failures.length === 0; next = await take()) await work(next.value);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await source.return?.();
  if (failures.length > 0) throw failures[0];
}
