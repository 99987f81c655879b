import type { BusySources, LeasedFetch } from '../core/imports/fetch/source-fetch.js';
import type { Uses } from '../core/ports.js';
import { Lease } from './lease.js';
import { full, type RunningSlots, runSlots } from './slot-runner.js';

/** Makes one try. The signal fires when it must end: the service stops, or the fetch is no longer this process's. */
export type FetchHandler = (leased: LeasedFetch, stopping: AbortSignal) => Promise<unknown>;

export interface FetcherOptions {
  /** Default: `FETCH_LEASE_SECONDS`. */
  readonly leaseSeconds?: number;
  /** Called for every failure on our side; fetching continues. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

/** Concurrent fetches of one process; those of one customer, and those of one customer from one host. */
export const FETCH_SLOTS = { all: 24, customer: 8, host: 4 } as const;

/** A killed process's fetches are due again after this. */
const FETCH_LEASE_SECONDS = 30;

/**
 * Fetches files from other servers as they become due, many at a time. A slow source occupies only its own few slots. Any number of
 * processes may do this at once.
 */
export function runFetcher(
  { fetches }: Uses<'fetches'>,
  handle: FetchHandler,
  { leaseSeconds = FETCH_LEASE_SECONDS, onError = () => undefined }: FetcherOptions = {},
): RunningSlots {
  const claimedAt = new WeakMap<LeasedFetch, number>();
  return runSlots<LeasedFetch>({
    slots: FETCH_SLOTS.all,
    async claim(inProgress) {
      const since = performance.now();
      const leased = await fetches.claim(leaseSeconds, busySources(inProgress));
      if (leased !== null) claimedAt.set(leased, since);
      return leased;
    },
    listen: (wake) => fetches.listen(wake),
    async handle(leased, stopping) {
      const since = claimedAt.get(leased) ?? performance.now();
      const lease = new Lease((seconds) => fetches.extend(leased, seconds), leaseSeconds, since, onError);
      try {
        await handle(leased, AbortSignal.any([stopping, lease.lost]));
      } finally {
        lease.drop();
      }
    },
    onError,
  });
}

/** Those that use all their slots. */
export function busySources(inProgress: readonly Pick<LeasedFetch, 'customerId' | 'host'>[]): BusySources {
  const names = inProgress.map(({ customerId, host }) => `${customerId}/${host}`);
  const hosts = full(names, FETCH_SLOTS.host).map((name) => {
    const slash = name.indexOf('/');
    return { customerId: Number(name.slice(0, slash)), host: name.slice(slash + 1) };
  });
  const customerIds = full(
    inProgress.map(({ customerId }) => customerId),
    FETCH_SLOTS.customer,
  );
  return { customerIds, hosts };
}
