/**
 * Maps in order, with up to `ahead` concurrent calls. When the consumer stops early, or one call fails, calls in progress are left to end
 * by themselves.
 */
export async function* mapAhead<In, Out>(
  items: Iterable<In>,
  ahead: number,
  map: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const pending: Promise<Out>[] = [];
  for (const item of items) {
    const result = map(item);
    // It is awaited later; until then its failure must not count as unhandled.
    result.catch(() => undefined);
    pending.push(result);
    if (pending.length >= ahead) yield await (pending.shift() as Promise<Out>);
  }
  for (const result of pending) yield await result;
}

/** Runs tasks with limited concurrency, in the order in which they were added. The first failure ends them all. */
export class TaskQueue {
  private readonly waiting: (() => Promise<void>)[] = [];
  private running = 0;
  private failure: { readonly reason: unknown } | null = null;
  private wake: () => void = () => {};

  constructor(private readonly concurrency: number) {}

  add(task: () => Promise<void>): void {
    this.waiting.push(task);
    this.next();
  }

  /** Resolves when all tasks are done; rejects with the first failure once none is running. */
  async idle(): Promise<void> {
    while (this.running > 0 || (this.waiting.length > 0 && !this.failure)) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.throwFailure();
  }

  /** For callers that keep adding tasks: add no more after a failure. */
  throwFailure(): void {
    if (this.failure) throw this.failure.reason;
  }

  private next(): void {
    while (this.running < this.concurrency && !this.failure) {
      const task = this.waiting.shift();
      if (task === undefined) return;
      this.running += 1;
      void task()
        .catch((reason: unknown) => {
          this.failure ??= { reason };
        })
        .finally(() => {
          this.running -= 1;
          this.next();
          this.wake();
        });
    }
  }
}

/** Lists of at most `size`, in order. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
