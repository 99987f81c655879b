import { pause, retryMilliseconds } from './pause.js';
import { WakeUpSignal } from './wake-up-signal.js';

/** What is worked on, many at a time, in slots that the source of work assigns. */
export interface SlotWork<Item> {
  /** Maximum number of items at the same time. */
  readonly slots: number;
  /** The next item, given those in progress; null when none is due. */
  claim(inProgress: readonly Item[]): Promise<Item | null>;
  /** Calls `wake` soon after an item may have become due. Returns the function that stops it. */
  listen(wake: () => void): Promise<() => Promise<void>>;
  /** If it throws, the item remains leased until the lease expires. It may end early when the signal fires. */
  handle(item: Item, stopping: AbortSignal): Promise<void>;
  /** Called for every failure on our side; work continues. Must not throw. */
  onError(error: unknown): void;
}

export interface RunningSlots {
  /** Takes no more items and resolves when those in progress have ended. */
  stop(): Promise<void>;
}

const IDLE_MS = 5000;

/** Works on items as they become due. Where they come from may be unavailable at any time: it waits, and continues. */
export function runSlots<Item>(work: SlotWork<Item>): RunningSlots {
  const runner = new SlotRunner(work);
  const ended = runner.run();
  return {
    stop() {
      runner.stop();
      return ended;
    },
  };
}

class SlotRunner<Item> {
  private readonly inProgress = new Map<Item, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly wakeUp = new WakeUpSignal();
  private unlisten: (() => Promise<void>) | null = null;
  /** Consecutive failures on our side. */
  private failures = 0;

  constructor(private readonly work: SlotWork<Item>) {}

  stop(): void {
    this.stopping.abort();
    this.wakeUp.signal();
  }

  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const began = this.inProgress.size < this.work.slots && (await this.begin());
      if (this.failures > 0) await pause(retryMilliseconds(this.failures), this.stopping.signal);
      else if (!began) await this.wakeUp.wait(IDLE_MS);
    }
    await Promise.all(this.inProgress.values());
    await this.unlisten?.().catch((error: unknown) => this.work.onError(error));
  }

  /** Starts the next item. False when none is due, or they are unavailable. */
  private async begin(): Promise<boolean> {
    try {
      // Before the first claim, so that nothing is missed after it.
      this.unlisten ??= await this.work.listen(() => this.wakeUp.signal());
      const item = await this.work.claim([...this.inProgress.keys()]);
      if (item !== null) this.inProgress.set(item, this.handle(item));
      this.failures = 0;
      return item !== null;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  private async handle(item: Item): Promise<void> {
    await this.work.handle(item, this.stopping.signal).catch((error: unknown) => this.failed(error));
    this.inProgress.delete(item);
    this.wakeUp.signal();
  }

  private failed(error: unknown): void {
    this.failures += 1;
    this.work.onError(error);
  }
}

/** The values of which so many are in use. */
export function full<T>(values: readonly T[], slots: number): readonly T[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].flatMap(([value, count]) => (count >= slots ? value : []));
}
