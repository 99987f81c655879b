import type { ThrottlerStorage } from '@nestjs/throttler';
import type { RateWindowStore, WindowState } from '../../core/access/rolling-window.js';
import { type Clock, SECOND } from '../../core/shared/clock.js';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The throttler's record, with the window it was made from: the record alone does not contain the epoch of the reset. */
export interface RateWindowRecord extends ThrottlerRecord {
  readonly state: WindowState;
}

/** The throttler's storage on our rolling window. The window's length is fixed by the rule, so `ttl` is ignored. */
export class RateWindowStorage implements ThrottlerStorage {
  constructor(
    private readonly rateWindows: RateWindowStore,
    private readonly clock: Clock,
  ) {}

  async increment(budget: string, _ttl: number, limit: number): Promise<RateWindowRecord> {
    const state = await this.rateWindows.hit({ name: budget, limit });
    const wait = state.retryAfter ?? 0;
    return {
      state,
      totalHits: state.limit - state.remaining,
      timeToExpire: Math.max(0, state.reset - Math.floor(this.clock.now().getTime() / SECOND)),
      isBlocked: !state.allowed,
      timeToBlockExpire: wait,
    };
  }
}
