import type { Budget, RateWindowStore, WindowState } from '../../core/access/rolling-window.js';
import { SECOND } from '../../core/shared/clock.js';
import { withTimeout } from '../system-clock.js';

export interface FallbackTimes {
  /** The longest time that a call waits for the first store; default: a second. */
  readonly waitMs?: number;
  /** Period in which the first store is not used after a failure; default: two seconds. */
  readonly retryMs?: number;
  /** Milliseconds of a stopwatch; default: the machine's. */
  readonly elapsed?: () => number;
}

/**
 * The first store as long as it answers in time; otherwise the second, with the same limits, so that an outage never lifts them. The call
 * that meets the outage waits for `waitMs`, later ones do not wait at all: they go to the second store, and every `retryMs` one of them
 * also checks whether the first is back. Counts are not carried over from one to the other.
 */
export class FallbackRateWindowStore implements RateWindowStore {
  /** Null while the first store is used; otherwise when to check it again, by the stopwatch. */
  private lookAt: number | null = null;
  private readonly times: Required<FallbackTimes>;

  constructor(
    private readonly first: RateWindowStore,
    private readonly second: RateWindowStore,
    /** Called when the first store is not used for now, with the reason, and when it is back. Must not throw. */
    private readonly onChange: (away: boolean, reason?: unknown) => void = () => undefined,
    { waitMs = SECOND, retryMs = 2 * SECOND, elapsed = () => performance.now() }: FallbackTimes = {},
  ) {
    this.times = { waitMs, retryMs, elapsed };
  }

  /** Whether calls go to the second store now. */
  get isAway(): boolean {
    return this.lookAt !== null;
  }

  hit(budget: Budget): Promise<WindowState> {
    return this.ask(budget, (store) => store.hit(budget));
  }

  peek(budget: Budget): Promise<WindowState> {
    return this.ask(budget, (store) => store.peek(budget));
  }

  async sweep(): Promise<number> {
    const forgotten = await this.second.sweep();
    return this.lookAt === null ? forgotten + (await this.first.sweep()) : forgotten;
  }

  private async ask(budget: Budget, call: (store: RateWindowStore) => Promise<WindowState>): Promise<WindowState> {
    if (this.lookAt !== null) {
      if (this.times.elapsed() >= this.lookAt) void this.look(budget);
      return call(this.second);
    }
    try {
      return await this.inTime(call(this.first));
    } catch (error) {
      // When many calls meet the same outage, the first reports it.
      if (this.lookAt === null) {
        this.lookAt = this.times.elapsed() + this.times.retryMs;
        this.onChange(true, error);
      }
      return call(this.second);
    }
  }

  /** Peeks, so that nothing is counted. */
  private async look(budget: Budget): Promise<void> {
    // Until the answer arrives no other call checks.
    this.lookAt = Number.POSITIVE_INFINITY;
    try {
      await this.inTime(this.first.peek(budget));
      this.lookAt = null;
      this.onChange(false);
    } catch {
      this.lookAt = this.times.elapsed() + this.times.retryMs;
    }
  }

  /** An answer that comes too late is dropped; what it has counted stays counted. */
  private inTime<T>(answer: Promise<T>): Promise<T> {
    const { waitMs } = this.times;
    return withTimeout(answer, waitMs, `The rate limit store did not respond within ${waitMs} ms.`);
  }
}
