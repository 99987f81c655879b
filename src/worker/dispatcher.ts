import type { Uses } from '../core/ports.js';
import { type Busy, DELIVERY_LEASE_SECONDS, type LeasedDelivery } from '../core/webhooks/delivery.js';
import { full, type RunningSlots, runSlots } from './slot-runner.js';

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

/** Those that use all their slots. */
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
