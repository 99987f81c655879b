import type { CustomerUsage } from '../customers/customer.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { type DailyUsage, usageOf } from './daily-usage.js';
import { trafficDays } from './traffic.js';

export interface UsageReport {
  /** What the account has now. */
  readonly usage: CustomerUsage;
  /** Oldest first, those without requests included. */
  readonly days: readonly DailyUsage[];
}

/**
 * The usage of an account by day of UTC, the sums of what its settings area shows by key. Counts are a few seconds old. Errors:
 * `not_found` (customer).
 */
export async function readDailyUsage(
  { store, clock }: { store: Readable<'customer' | 'usage' | 'traffic'>; clock: Clock },
  customerId: Id,
): Promise<UsageReport> {
  const days = trafficDays(clock.now());
  return store.query(customerId, async ({ customer, usage, traffic }) => {
    await customer.read();
    const from = days[0] ?? '';
    const [counts, pictures] = [await traffic.counts(from), await traffic.pictures(from)];
    const transfers = await traffic.transfers(from);
    const storage = await traffic.storage(from);
    const storedOn = (day: string) => storage.find((count) => count.day === day) ?? null;
    const ofDay = (day: string) => ({ ...usageOf(day, counts, pictures, transfers), stored: storedOn(day) });
    return { usage: await usage.read(), days: days.map(ofDay) };
  });
}
