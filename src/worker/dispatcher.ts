import type { Uses } from '../core/ports.js';
import type { Id } from '../core/shared/ids.js';
import type { LeasedDelivery } from '../core/webhooks/delivery.js';
import type { Busy } from '../core/webhooks/delivery-queue.js';
import { pause } from './pause.js';
import { WakeUpSignal } from './wake-up-signal.js';

/** Makes one attempt. If it throws, the delivery remains leased until the lease expires. */
export type DeliveryHandler = (delivery: LeasedDelivery) => Promise<void>;

export interface DispatcherOptions {
  /** Called for every failure on our side; the dispatcher continues. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

export interface RunningDispatcher {
  /** Takes no more deliveries and resolves when those in progress have ended. */
  stop(): Promise<void>;
}

/** Concurrent requests of one process; those to one endpoint, and to all endpoints of one customer. */
export const SLOTS = { all: 32, customer: 16, endpoint: 4 } as const;

/** An attempt takes 15 seconds at most; a killed process's deliveries are due again after this. */
const DELIVERY_LEASE_SECONDS = 30;
const IDLE_MS = 5000;
const MAX_PAUSE_MS = 5000;

/**
 * Sends deliveries as they become due, many at a time. A slow receiver occupies only its own few slots. Any number of processes may do this
 * at once. The queue may be unavailable at any time: the dispatcher waits, and continues.
 */
export function runDispatcher(
  { deliveries }: Uses<'deliveries'>,
  handle: DeliveryHandler,
  { onError }: DispatcherOptions = {},
): RunningDispatcher {
  const dispatcher = new Dispatcher(deliveries, handle, (error) => onError?.(error));
  const ended = dispatcher.run();
  return {
    stop() {
      dispatcher.stop();
      return ended;
    },
  };
}

class Dispatcher {
  private readonly underWay = new Map<LeasedDelivery, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly wakeUp = new WakeUpSignal();
  private unlisten: (() => Promise<void>) | null = null;
  /** Consecutive failures on our side. */
  private troubles = 0;

  constructor(
    private readonly queue: Uses<'deliveries'>['deliveries'],
    private readonly handle: DeliveryHandler,
    private readonly onError: (error: unknown) => void,
  ) {}

  stop(): void {
    this.stopping.abort();
    this.wakeUp.signal();
  }

  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const began = this.underWay.size < SLOTS.all && (await this.begin());
      if (this.troubles > 0) await pause(pauseMilliseconds(this.troubles), this.stopping.signal);
      else if (!began) await this.wakeUp.wait(IDLE_MS);
    }
    await Promise.all(this.underWay.values());
    await this.unlisten?.().catch(this.onError);
  }

  /** Starts the next delivery. False when none is due, or the queue is unavailable. */
  private async begin(): Promise<boolean> {
    try {
      // Before the first claim, so that nothing is missed after it.
      this.unlisten ??= await this.queue.listen(() => this.wakeUp.signal());
      const delivery = await this.queue.claim(DELIVERY_LEASE_SECONDS, busy([...this.underWay.keys()]));
      if (delivery !== null) this.underWay.set(delivery, this.deliver(delivery));
      this.troubles = 0;
      return delivery !== null;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  private async deliver(delivery: LeasedDelivery): Promise<void> {
    await this.handle(delivery).catch((error: unknown) => this.failed(error));
    this.underWay.delete(delivery);
    this.wakeUp.signal();
  }

  private failed(error: unknown): void {
    this.troubles += 1;
    this.onError(error);
  }
}

/** Those that use all their slots. */
export function busy(underWay: readonly Pick<LeasedDelivery, 'endpointId' | 'customerId'>[]): Busy {
  return {
    endpointIds: full(
      underWay.map(({ endpointId }) => endpointId),
      SLOTS.endpoint,
    ),
    customerIds: full(
      underWay.map(({ customerId }) => customerId),
      SLOTS.customer,
    ),
  };
}

function full(ids: readonly Id[], slots: number): readonly Id[] {
  const counts = new Map<Id, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) => (count >= slots ? id : []));
}

function pauseMilliseconds(times: number): number {
  return Math.min(MAX_PAUSE_MS, 125 * 2 ** Math.min(times, 10));
}
