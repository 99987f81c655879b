/**
 * Does the work for each item, so many at a time, in their order. The first failure ends it, once what had begun beside it is over: what a caller
 * then stores is all that was done.
 */
export async function forEachConcurrently<T>(
  concurrency: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async () => {
    while (failures.length === 0 && next < items.length) {
      const item = items[next] as T;
      next += 1;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failures.length > 0) throw failures[0];
}
