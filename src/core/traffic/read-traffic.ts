import type { ApiKey } from '../access/api-key.js';
import type { Customer, CustomerUsage } from '../customers/customer.js';
import type { QuotaUse } from '../customers/customer-repository.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import {
  dayOf,
  type HourCount,
  type RequestCount,
  type RequestFailure,
  type StorageCount,
  type TrafficStore,
  type TransferCount,
  trafficDays,
} from './traffic.js';

/** The usage and the requests of an account. */
export interface Traffic {
  readonly customer: Customer;
  readonly usage: CustomerUsage;
  /** The amounts that count against its quota. */
  readonly quotaUse: QuotaUse;
  /** Keys that are not deleted, oldest first. */
  readonly keys: readonly ApiKey[];
  /** The days in the report, oldest first, including those without requests. */
  readonly days: readonly string[];
  readonly counts: readonly RequestCount[];
  readonly transfers: readonly TransferCount[];
  /** Counts for the last of the days, today. */
  readonly hours: readonly HourCount[];
  readonly failures: readonly RequestFailure[];
}

/** Counts are a few seconds old: each process writes them periodically. Errors: `not_found` (customer). */
export async function readTraffic(
  { store, clock }: { store: Readable<'customer' | 'usage' | 'traffic' | 'keys'>; clock: Clock },
  customerId: Id,
): Promise<Traffic> {
  const days = trafficDays(clock.now());
  const seen = await store.query(customerId, async (reader) => ({
    customer: await reader.customer.read(),
    usage: await reader.usage.read(),
    quotaUse: await reader.usage.quotaUse(),
    counts: await reader.traffic.counts(days[0] ?? ''),
    transfers: await reader.traffic.transfers(days[0] ?? ''),
    hours: await reader.traffic.hours(days.at(-1) ?? ''),
    failures: await reader.traffic.failures(),
    keys: await reader.keys.list(),
  }));
  return { ...seen, days };
}

export interface UsageReport {
  /** The present usage of the account. */
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
    const ofDay = (day: string): DailyUsage => {
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
        ...transferred(transfers.filter((count) => count.day === day)),
        stored: storage.find((count) => count.day === day) ?? null,
      };
    };
    return { usage: await usage.read(), days: days.map(ofDay) };
  });
}

/** Bytes of all channels together: `imageBytes`, which are bodies only, are among those sent. */
type TransferredBytes = Pick<TransferCount, 'receivedBytes' | 'sentBytes'>;

/** The usage of an account on one day. */
export interface DailyUsage
  extends Pick<RequestCount, 'day' | 'requests' | 'limited' | 'failed'>,
    Record<'images' | 'imageBytes' | 'imagesMade', number>,
    TransferredBytes {
  /** The amount that was stored, the trash included; null if it was not counted on this day. */
  readonly stored: StorageCount | null;
}

/** The sums of these counts. */
export function transferred(counts: readonly TransferredBytes[]): TransferredBytes {
  return {
    receivedBytes: sum(counts.map(({ receivedBytes }) => receivedBytes)),
    sentBytes: sum(counts.map(({ sentBytes }) => sentBytes)),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Run several times a day: the last count of a day is retained. */
export function countStorage({ traffic, clock }: { traffic: TrafficStore; clock: Clock }): Promise<void> {
  return traffic.countStorage(dayOf(clock.now()));
}

/** Deletes the days and hours that are no longer in the report. */
export async function sweepTraffic({ traffic, clock }: { traffic: TrafficStore; clock: Clock }): Promise<void> {
  const now = clock.now();
  await traffic.sweep(trafficDays(now)[0] ?? '');
  await traffic.sweepHours(dayOf(now));
}
