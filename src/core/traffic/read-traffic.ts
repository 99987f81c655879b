import type { ApiKey } from '../access/api-key.js';
import type { Customer, CustomerUsage } from '../customers/customer.js';
import type { QuotaUse } from '../customers/quota.js';
import type { Uses } from '../ports.js';
import type { Id } from '../shared/ids.js';
import { type RequestCount, type RequestFailure, trafficDays } from './traffic.js';

/** What an account holds and asks for. */
export interface Traffic {
  readonly customer: Customer;
  readonly usage: CustomerUsage;
  /** What counts against its quota. */
  readonly quotaUse: QuotaUse;
  /** Those that are not deleted, oldest first. */
  readonly keys: readonly ApiKey[];
  /** The days that are told, oldest first, whether there was anything on them or not. */
  readonly days: readonly string[];
  readonly counts: readonly RequestCount[];
  readonly failures: readonly RequestFailure[];
}

/** Counts are some seconds old: each process writes them now and then. Errors: `not_found` (customer). */
export async function readTraffic(
  { store, keys, clock }: Uses<'store' | 'keys' | 'clock'>,
  customerId: Id,
): Promise<Traffic> {
  const days = trafficDays(clock.now());
  const seen = await store.query(customerId, async (reader) => ({
    customer: await reader.customer(),
    usage: await reader.usage(),
    quotaUse: await reader.quotaUse(),
    counts: await reader.traffic.counts(days[0] ?? ''),
    failures: await reader.traffic.failures(),
  }));
  return { ...seen, days, keys: await keys.list(customerId) };
}

/** Forgets the days that are not told any more. */
export function sweepTraffic({ traffic, clock }: Uses<'traffic' | 'clock'>): Promise<void> {
  return traffic.sweep(trafficDays(clock.now())[0] ?? '');
}
