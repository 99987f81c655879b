import {
  type Admissions,
  admit,
  type Budget,
  observe,
  type RateWindowStore,
  WINDOW_MS,
  type WindowState,
} from '../../core/access/rolling-window.js';
import type { Clock } from '../../core/shared/clock.js';

/** Counts milliseconds from wherever it began. */
export interface Stopwatch {
  now(): number;
}

/**
 * The limiter of one process, exact because JavaScript runs one call at a time. Windows are measured with the stopwatch and only
 * shown by the clock. A service gives `performance`, which never jumps: setting the machine's clock then neither locks anyone out nor
 * lets anyone have more. With the clock alone (tests move it) a step back locks out for one window at most.
 */
export class MemoryRateWindowStore implements RateWindowStore {
  /** Admissions by the stopwatch. */
  private readonly logs = new Map<string, Admissions>();
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly stopwatch: Stopwatch = { now: () => clock.now().getTime() },
  ) {}

  async hit({ name, limit }: Budget): Promise<WindowState> {
    const now = this.stopwatch.now();
    this.sweepNowAndThen(now);
    const { log, state } = admit(this.logs.get(name) ?? [], limit, now);
    if (log.length > 0) this.logs.set(name, log);
    return { ...state, reset: this.resetOf(log, limit, now) };
  }

  async peek({ name, limit }: Budget): Promise<WindowState> {
    const now = this.stopwatch.now();
    const log = this.logs.get(name) ?? [];
    return { ...observe(log, limit, now), reset: this.resetOf(log, limit, now) };
  }

  /** Budgets that are remembered. */
  get size(): number {
    return this.logs.size;
  }

  /** The same log, told by the clock. */
  private resetOf(log: Admissions, limit: number, now: number): number {
    const wall = this.clock.now().getTime();
    const told = log.map((at) => wall - (now - at));
    return observe(told, limit, wall).reset;
  }

  async sweep(): Promise<number> {
    const before = this.logs.size;
    this.forgetIdle(this.stopwatch.now());
    return before - this.logs.size;
  }

  /** Once a window, also after the clock jumped back: whoever tries keys from many addresses must not fill the memory. */
  private sweepNowAndThen(now: number): void {
    if (Math.abs(now - this.sweptAt) < WINDOW_MS) return;
    this.sweptAt = now;
    this.forgetIdle(now);
  }

  private forgetIdle(now: number): void {
    for (const [name, log] of this.logs) {
      const newest = log.at(-1);
      if (newest === undefined || newest <= now - WINDOW_MS) this.logs.delete(name);
    }
  }
}
