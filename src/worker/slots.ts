import type { BusySources, LeasedFetch } from '../core/imports/fetch/source-fetch.js';
import type { Uses } from '../core/ports.js';
import { type Busy, DELIVERY_LEASE_SECONDS, type LeasedDelivery } from '../core/webhooks/delivery.js';
import { Lease, pause, retryMilliseconds, WakeUpSignal } from './worker.js';

/** Makes one attempt. If it throws, the delivery remains leased until the lease expires. */
export type DeliveryHandler = (delivery: LeasedDelivery) => Promise<void>;

export interface DispatcherOptions {
  /** Called for every failure on our side; the dispatcher continues. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

export type RunningDispatcher = RunningSlots;

/** Concurrent requests of one process; those to one endpoint, and to all endpoints of one customer. */
export const SLOTS = { all: 32, customer: 16, endpoint: 4 } as const;

/**
 * Sends deliveries as they become due, many at a time. A slow receiver occupies only its own few slots. Any number of processes may do this
 * at once.
 */
export function runDispatcher(
  { deliveries }: Uses<'deliveries'>,
  handle: DeliveryHandler,
  { onError }: DispatcherOptions = {},
): RunningDispatcher {
  return runSlots<LeasedDelivery>({
    slots: SLOTS.all,
    claim: (inProgress) => deliveries.claim(DELIVERY_LEASE_SECONDS, busy(inProgress)),
    listen: (wake) => deliveries.listen(wake),
    handle,
    onError: (error) => onError?.(error),
  });
}

/** Sends the deliveries of one endpoint, for a program that listens there. */
export function runListener(
  { deliveries }: Uses<'deliveries'>,
  endpoint: Pick<LeasedDelivery, 'customerId' | 'endpointId'>,
  handle: DeliveryHandler,
  { onError }: DispatcherOptions = {},
): RunningDispatcher {
  return runSlots<LeasedDelivery>({
    slots: SLOTS.endpoint,
    claim: () => deliveries.claimOf(endpoint, DELIVERY_LEASE_SECONDS),
    listen: (wake) => deliveries.listen(wake),
    handle,
    onError: (error) => onError?.(error),
  });
}

/** Returns the endpoints and customers that use all their slots. */
export function busy(inProgress: readonly Pick<LeasedDelivery, 'endpointId' | 'customerId'>[]): Busy {
  return {
    endpointIds: full(
      inProgress.map(({ endpointId }) => endpointId),
      SLOTS.endpoint,
    ),
    customerIds: full(
      inProgress.map(({ customerId }) => customerId),
      SLOTS.customer,
    ),
  };
}

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

/** Returns the customers and hosts that use all their slots. */
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

/** The work that is done on many items at a time, in slots that its source assigns. */
export interface SlotWork<Item> {
  /** Maximum number of items at the same time. */
  readonly slots: number;
  /** The next item, given those in progress; null when none is due. */
  claim(inProgress: readonly Item[]): Promise<Item | null>;
  /** Calls `wake` soon after an item may have become due. Returns the function that stops it. */
  listen(wake: () => void): Promise<() => Promise<void>>;
  /** If it throws, the item remains leased until the lease expires. It may end early when the signal fires. */
  handle(item: Item, stopping: AbortSignal): Promise<void>;
  /** Called for every failure on our side; work continues. Must not throw. */
  onError(error: unknown): void;
}

interface RunningSlots {
  /** Takes no more items and resolves when those in progress have ended. */
  stop(): Promise<void>;
}

const IDLE_MS = 5000;

/** Works on items as they become due. Where they come from may be unavailable at any time: it waits, and continues. */
function runSlots<Item>(work: SlotWork<Item>): RunningSlots {
  const runner = new SlotRunner(work);
  const ended = runner.run();
  return {
    stop() {
      runner.stop();
      return ended;
    },
  };
}

class SlotRunner<Item> {
  private readonly inProgress = new Map<Item, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly wakeUp = new WakeUpSignal();
  private unlisten: (() => Promise<void>) | null = null;
  /** Consecutive failures on our side. */
  private failures = 0;

  constructor(private readonly work: SlotWork<Item>) {}

  stop(): void {
    this.stopping.abort();
    this.wakeUp.signal();
  }

  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const began = this.inProgress.size < this.work.slots && (await this.begin());
      if (this.failures > 0) await pause(retryMilliseconds(this.failures), this.stopping.signal);
      else if (!began) await this.wakeUp.wait(IDLE_MS);
    }
    await Promise.all(this.inProgress.values());
    await this.unlisten?.().catch((error: unknown) => this.work.onError(error));
  }

  /** Starts the next item. False when none is due, or they are unavailable. */
  private async begin(): Promise<boolean> {
    try {
      // Before the first claim, so that nothing is missed after it.
      this.unlisten ??= await this.work.listen(() => this.wakeUp.signal());
      const item = await this.work.claim([...this.inProgress.keys()]);
      if (item !== null) this.inProgress.set(item, this.handle(item));
      this.failures = 0;
      return item !== null;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  private async handle(item: Item): Promise<void> {
    await this.work.handle(item, this.stopping.signal).catch((error: unknown) => this.failed(error));
    this.inProgress.delete(item);
    this.wakeUp.signal();
  }

  private failed(error: unknown): void {
    this.failures += 1;
    this.work.onError(error);
  }
}

/** The values of which so many are in use. */
function full<T>(values: readonly T[], slots: number): readonly T[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].flatMap(([value, count]) => (count >= slots ? value : []));
}
