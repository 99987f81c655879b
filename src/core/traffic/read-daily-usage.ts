import type { CustomerUsage } from '../customers/customer.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { type PictureCount, type RequestCount, type StorageCount, trafficDays } from './traffic.js';

/** What an account used on one day. */
export interface DailyUsage
  extends Pick<RequestCount, 'day' | 'requests' | 'limited' | 'failed'>,
    Record<'images' | 'imageBytes' | 'imagesMade', number> {
  /** What was stored, the trash included; null if it was not counted on this day. */
  readonly stored: StorageCount | null;
}

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
    const storage = await traffic.storage(from);
    const storedOn = (day: string) => storage.find((count) => count.day === day) ?? null;
    const ofDay = (day: string) => ({ ...usageOf(day, counts, pictures), stored: storedOn(day) });
    return { usage: await usage.read(), days: days.map(ofDay) };
  });
}

function usageOf(
  day: string,
  counts: readonly RequestCount[],
  pictures: readonly PictureCount[],
): Omit<DailyUsage, 'stored'> {
  const requests = counts.filter((count) => count.day === day);
  const images = pictures.filter((count) => count.day === day);
  return {
    day,
    requests: sum(requests.map((count) => count.requests)),
    limited: sum(requests.map((count) => count.limited)),
    failed: sum(requests.map((count) => count.failed)),
    images: sum(images.map((count) => count.requests)),
    imageBytes: sum(images.map((count) => count.bytes)),
    imagesMade: sum(images.map((count) => count.made)),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
