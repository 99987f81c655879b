import {
  AdmissionLog,
  type Budget,
  type RateWindowStore,
  WINDOW_MS,
  type WindowState,
} from '../../core/access/rolling-window.js';
import type { Clock } from '../../core/shared/clock.js';

/**
 * The limiter of one process, exact because JavaScript runs one call at a time. Windows are measured with the stopwatch and only shown by
 * the clock. A service gives a stopwatch that never jumps: setting the machine's clock then neither locks anyone out nor lets anyone
 * have more. With the clock alone (tests move it) a step back locks out for one window at most.
 */
export class MemoryRateWindowStore implements RateWindowStore {
  /** Admissions by the stopwatch. */
  private readonly logs = new Map<string, AdmissionLog>();
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    /** Counts milliseconds from wherever it began. */
    private readonly stopwatch: { now(): number } = { now: () => clock.now().getTime() },
  ) {}

  async hit({ name, limit }: Budget): Promise<WindowState> {
    const now = this.stopwatch.now();
    // Once a window, also after the clock jumped back: an attacker who tries keys from many addresses must not fill the memory.
    if (Math.abs(now - this.sweptAt) >= WINDOW_MS) {
      this.sweptAt = now;
      this.forgetIdle(now);
    }
    const log = this.logs.get(name) ?? new AdmissionLog();
    const state = log.hit(limit, now, this.clock.now().getTime());
    if (state.allowed) this.logs.set(name, log);
    return state;
  }

  async peek({ name, limit }: Budget): Promise<WindowState> {
    const now = this.stopwatch.now();
    return (this.logs.get(name) ?? new AdmissionLog()).peek(limit, now, this.clock.now().getTime());
  }

  /** Budgets that are remembered. */
  get size(): number {
    return this.logs.size;
  }

  async sweep(): Promise<number> {
    const before = this.logs.size;
    this.forgetIdle(this.stopwatch.now());
    return before - this.logs.size;
  }

  private forgetIdle(now: number): void {
    for (const [name, log] of this.logs) {
      if (log.isEmpty(now)) this.logs.delete(name);
    }
  }
}
