/**
 * What is costly to make and the same for every suite: made once per worker, where suites otherwise have modules of their own. It must not
 * refer to a suite's modules, which would stay in memory with it.
 * @param key Of all that it is made from.
 */
export function cachedInWorker<T>(key: string, make: () => T): T {
  const { workerCache } = globalThis as unknown as { workerCache: Map<string, T> };
  const known = workerCache.get(key);
  if (known !== undefined) return known;
  const made = make();
  workerCache.set(key, made);
  return made;
}
