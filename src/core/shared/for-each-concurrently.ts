/**
 * Does something with every value, with so many at the same time. After the first failure nothing more is begun; it comes out once
 * nobody is at work any more, however it ends.
 */
export async function forEachConcurrently<T>(
  values: AsyncIterable<T>,
  concurrency: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const source = values[Symbol.asyncIterator]();
  const failures: unknown[] = [];
  // One at a time: not every source bears to be asked for the next value before it has given this one.
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
