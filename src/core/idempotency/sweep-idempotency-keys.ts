import { after, type Clock } from '../shared/clock.js';
import { RETENTION_MS } from './claim-key.js';
import type { IdempotencyStore } from './idempotency-store.js';

const SWEPT_AT_ONCE = 5_000;

/** Removes records older than 24 hours, and returns how many. Run periodically; nothing depends on when. */
export async function sweepIdempotencyKeys({
  idempotency,
  clock,
}: {
  idempotency: IdempotencyStore;
  clock: Clock;
}): Promise<number> {
  const before = after(clock.now(), -RETENTION_MS);
  for (let swept = 0; ; ) {
    const count = await idempotency.sweep(before, SWEPT_AT_ONCE);
    swept += count;
    if (count < SWEPT_AT_ONCE) return swept;
  }
}
