import { isOutage } from '../core/shared/errors.js';
import { nextTurn } from './system-clock.js';

export interface BatcherOptions {
  /** The largest batch, unless calls are collected; default 100. */
  readonly maxBatchSize?: number;
  /** Resolves when a call has waited long enough for the open slots. Default: it never waits. */
  readonly maxWait?: () => Promise<void>;
  /** Resolves when a batch has been collected, which runs then, beside fewer than `MAX_BESIDE` others. Default: it waits for the one before it. */
  readonly collect?: () => Promise<void>;
  /** Whether each is retried alone after `runBatch` threw; default true. */
  readonly retrySingly?: boolean;
}

/** Collected batches of a key that run at the same time. While a dependency does not answer, later calls gather. */
const MAX_BESIDE = 4;

const MAX_BATCH_SIZE = 100;

interface QueuedCall<In, Out> {
  readonly given: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

interface Queue<In, Out> {
  readonly calls: QueuedCall<In, Out>[];
  openSlots: number;
  isRunning: boolean;
  /** Identifies the current wait; a new one for each batch. */
  timer: symbol | null;
}

/**
 * Runs calls with the same key together, for example in one transaction. A call that arrives alone runs immediately; calls that arrive
 * while a batch is running wait for it and form the next batch. So no call gets the result of work that began before it. With `collect`, it
 * is the other way round: every call waits a moment for others, and batches wait for nothing.
 */
export class Batcher<Key, In, Out> {
  private readonly queues = new Map<Key, Queue<In, Out>>();
  /** Collected batches that run. */
  private readonly collected = new Map<Key, Set<Promise<void>>>();

  /**
   * @param runBatch Returns a result for each, in order; or throws, and has done nothing. Then, unless a dependency is unavailable or
   * `retrySingly` is false, it is run for each alone, so that an error caused by one does not affect the others.
   */
  constructor(
    private readonly runBatch: (key: Key, given: readonly In[]) => Promise<readonly Out[]>,
    private readonly options: BatcherOptions = {},
  ) {}

  /** Errors: those of `runBatch`. */
  enqueue(key: Key, given: In): Promise<Out> {
    return this.push(key, this.queueOf(key), given);
  }

  /** Announces a call, for which a batch waits until it is made, or the slot is closed without it: it must be closed. */
  slot(key: Key): { readonly enqueue: (given: In) => Promise<Out>; readonly close: () => void } {
    const queue = this.queueOf(key);
    queue.openSlots += 1;
    let isOpen = true;
    const end = () => {
      if (isOpen) queue.openSlots -= 1;
      isOpen = false;
    };
    return {
      enqueue: (given) => {
        end();
        return this.push(key, queue, given);
      },
      close: () => {
        end();
        this.runIfDue(key, queue);
      },
    };
  }

  private queueOf(key: Key): Queue<In, Out> {
    const queue = this.queues.get(key) ?? { calls: [], openSlots: 0, isRunning: false, timer: null };
    this.queues.set(key, queue);
    return queue;
  }

  private push(key: Key, queue: Queue<In, Out>, given: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      queue.calls.push({ given, resolve, reject });
      const { collect } = this.options;
      if (collect === undefined) this.runIfDue(key, queue);
      else if (queue.calls.length === 1) void this.runCollected(key, queue, collect);
    });
  }

  private runIfDue(key: Key, queue: Queue<In, Out>): void {
    if (queue.isRunning) return;
    if (queue.calls.length === 0) {
      // A slot may end after the key has got another queue.
      if (queue.openSlots === 0 && this.queues.get(key) === queue) this.queues.delete(key);
      return;
    }
    const { maxBatchSize = MAX_BATCH_SIZE, maxWait } = this.options;
    const isWorthWaiting = queue.openSlots > 0 && queue.calls.length < maxBatchSize;
    if (isWorthWaiting && maxWait !== undefined) void this.wait(key, queue, maxWait);
    else void this.runNext(key, queue);
  }

  private async runCollected(key: Key, queue: Queue<In, Out>, collect: () => Promise<void>): Promise<void> {
    await collect();
    const running = this.collected.get(key) ?? new Set();
    this.collected.set(key, running);
    while (running.size >= MAX_BESIDE) await Promise.race(running);
    this.queues.delete(key);
    const batch = this.settle(key, queue.calls);
    running.add(batch);
    await batch;
    running.delete(batch);
    if (running.size === 0) this.collected.delete(key);
  }

  private async wait(key: Key, queue: Queue<In, Out>, maxWait: () => Promise<void>): Promise<void> {
    if (queue.timer !== null) return;
    const own = Symbol('wait');
    queue.timer = own;
    await maxWait();
    if (queue.timer === own && !queue.isRunning) await this.runNext(key, queue);
  }

  private async runNext(key: Key, queue: Queue<In, Out>): Promise<void> {
    queue.timer = null;
    queue.isRunning = true;
    await this.settle(key, queue.calls.splice(0, this.options.maxBatchSize ?? MAX_BATCH_SIZE));
    queue.isRunning = false;
    this.runIfDue(key, queue);
  }

  private async settle(key: Key, calls: readonly QueuedCall<In, Out>[]): Promise<void> {
    try {
      const given = calls.map((call) => call.given);
      const answers = await this.runBatch(key, given);
      for (const [index, call] of calls.entries()) call.resolve(answers[index] as Out);
    } catch (error) {
      if (this.options.retrySingly !== false && calls.length > 1 && !isOutage(error))
        for (const call of calls) await this.settle(key, [call]);
      else for (const call of calls) call.reject(error);
    }
  }
}

/**
 * Finds values by key, within a group; concurrent calls for one group share one read. No call is answered by a read that began before it:
 * it sees all earlier changes, as a separate read would. An error of the read is passed to every caller.
 */
export function readBatcher<Group, Name, Found>(
  read: (group: Group, names: readonly Name[]) => Promise<ReadonlyMap<Name, Found>>,
): Batcher<Group, Name, Found | null> {
  const find = async (group: Group, names: readonly Name[]) => {
    const found = await read(group, [...new Set(names)]);
    return names.map((name) => found.get(name) ?? null);
  };
  return new Batcher<Group, Name, Found | null>(find, { collect: nextTurn, retrySingly: false });
}

/** Makes an entry the newest of a map, in which at most so many are kept. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}

/** A value that is opened by the first call, and shared by all. A failure is only that of the calls that waited: the next call opens it again. */
export class Lazy<T> {
  #opened: Promise<T> | null = null;

  constructor(private readonly open: () => Promise<T>) {}

  /** Null unless it is open, or being opened. */
  get opened(): Promise<T> | null {
    return this.#opened;
  }

  async get(): Promise<T> {
    this.#opened ??= this.open();
    const opened = this.#opened;
    try {
      return await opened;
    } catch (error) {
      if (this.#opened === opened) this.#opened = null;
      throw error;
    }
  }
}
