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

/** The limiter of one process, exact because JavaScript runs one call at a time. Forgets budgets that have been idle for a window. */
export class MemoryRateWindowStore implements RateWindowStore {
  private readonly logs = new Map<string, Admissions>();
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  async hit({ name, limit }: Budget): Promise<WindowState> {
    const now = this.clock.now().getTime();
    this.sweep(now);
    const { log, state } = admit(this.logs.get(name) ?? [], limit, now);
    this.logs.set(name, log);
    return state;
  }

  async peek({ name, limit }: Budget): Promise<WindowState> {
    return observe(this.logs.get(name) ?? [], limit, this.clock.now().getTime());
  }

  /** Once a window, also after the clock jumped back: whoever tries keys from many addresses must not fill the memory. */
  private sweep(now: number): void {
    if (Math.abs(now - this.sweptAt) < WINDOW_MS) return;
    this.sweptAt = now;
    for (const [name, log] of this.logs) {
      const newest = log.at(-1);
      if (newest === undefined || newest <= now - WINDOW_MS) this.logs.delete(name);
    }
  }
}
