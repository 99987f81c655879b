import type { ApiKey } from '../access/api-key.js';
import type { KeyStore } from '../access/key-store.js';
import type { Customer, CustomerUsage } from '../customers/customer.js';
import type { QuotaUse } from '../customers/customer-repository.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { type HourCount, type RequestCount, type RequestFailure, type TransferCount, trafficDays } from './traffic.js';

/** The usage and the requests of an account. */
export interface Traffic {
  readonly customer: Customer;
  readonly usage: CustomerUsage;
  /** What counts against its quota. */
  readonly quotaUse: QuotaUse;
  /** Keys that are not deleted, oldest first. */
  readonly keys: readonly ApiKey[];
  /** The days in the report, oldest first, including those without requests. */
  readonly days: readonly string[];
  readonly counts: readonly RequestCount[];
  readonly transfers: readonly TransferCount[];
  /** Of the last of the days, today. */
  readonly hours: readonly HourCount[];
  readonly failures: readonly RequestFailure[];
}

/** Counts are a few seconds old: each process writes them periodically. Errors: `not_found` (customer). */
export async function readTraffic(
  { store, keys, clock }: { store: Readable<'customer' | 'usage' | 'traffic'>; keys: KeyStore; clock: Clock },
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
  }));
  return { ...seen, days, keys: await keys.list(customerId) };
}
