import type { Budget, RateWindowStore, WindowState } from '../../core/access/rolling-window.js';
import { Batcher } from '../shared-work.js';
import { nextTurn } from '../system-clock.js';
import type { Methods, Rpc } from './rpc.js';

interface WindowCall {
  readonly kind: 'hit' | 'peek';
  readonly budget: Budget;
}

/**
 * Admissions in the memory of the primary process, exact over all request processes: a message for all calls of one turn of the event
 * loop, instead of a statement for each. Errors: `service_unavailable` when the primary has ended.
 */
export class PrimaryRateWindowStore implements RateWindowStore {
  private readonly calls: Batcher<null, WindowCall, WindowState>;

  constructor(private readonly primary: Rpc) {
    this.calls = new Batcher((_, calls) => primary.call<readonly WindowState[]>('countRequests', calls), {
      collect: nextTurn,
      retrySingly: false,
    });
  }

  hit(budget: Budget): Promise<WindowState> {
    return this.calls.enqueue(null, { kind: 'hit', budget });
  }

  peek(budget: Budget): Promise<WindowState> {
    return this.calls.enqueue(null, { kind: 'peek', budget });
  }

  sweep(): Promise<number> {
    return this.primary.call('sweepRateWindows', null);
  }
}

/** Returns what the primary process runs for `PrimaryRateWindowStore`. */
export function rateWindowMethods(store: RateWindowStore): Methods {
  return {
    countRequests: (calls: readonly WindowCall[]) =>
      Promise.all(calls.map(({ kind, budget }) => (kind === 'hit' ? store.hit(budget) : store.peek(budget)))),
    sweepRateWindows: () => store.sweep(),
  };
}
