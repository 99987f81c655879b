import type { Event } from '../events/event.js';
import { HOUR, MINUTE, SECOND } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Attempt, WebhookAnswer } from './webhook-sender.js';

/** Pending, delivered, or given up. */
export type DeliveryStatus = 'pending' | 'delivered' | 'dead';

/** Which lines of the log are wanted. Absent: all. */
export interface DeliveryFilters {
  readonly status?: DeliveryStatus;
  readonly type?: Event['type'];
}

/** One event on its way to one endpoint, and a line of the delivery log. */
export interface Delivery extends Event {
  readonly id: Id;
  readonly endpointId: Id;
  readonly status: DeliveryStatus;
  /** Number of started attempts. */
  readonly attempt: number;
  /** When the next attempt may begin; null once it has ended. */
  readonly dueAt: Date | null;
  /** The result of the last completed attempt: what the endpoint answered, or why it did not. */
  readonly responseStatus: number | null;
  readonly reason: string | null;
  readonly attemptedAt: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** A delivery whose attempt this process makes; the lease proves it. */
export interface LeasedDelivery extends Delivery {
  readonly lease: string;
}

/** The bodies that were exchanged in the last completed attempt at a delivery. */
export interface DeliveryBodies {
  /** Null when nothing was sent, and after `BODY_DAYS`. */
  readonly requestBody: string | null;
  /** The beginning of the response's body; null when it had none, and after `BODY_DAYS`. */
  readonly responseBody: string | null;
}

/** The result of an attempt. */
export interface AttemptOutcome extends DeliveryBodies {
  readonly status: DeliveryStatus;
  /** Milliseconds until the next attempt; null when there is none. */
  readonly retryAfter: number | null;
  readonly responseStatus: number | null;
  readonly reason: string | null;
  readonly at: Date;
}

/** The waits between attempts, in milliseconds, as Standard Webhooks recommends. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Attempts at an event, the first included. A test gets one. */
export const MAX_ATTEMPTS = RETRY_DELAYS.length + 1;

/** The longest wait that a receiver may ask for. */
const MAX_RETRY_AFTER = HOUR;

/** A wait is extended by up to this fraction, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** Days that deliveries are retained in the log, whatever their state. */
export const LOG_DAYS = 30;

/** Days that bodies are retained: long enough for every attempt, and short because a large import sends thousands. */
export const BODY_DAYS = 4;

export function isSuccess({ status }: Pick<WebhookAnswer, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Sent on request, and tried once: the person sees the result, and can send it again. */
export function isTest({ type }: Pick<Delivery, 'type'>): boolean {
  return type === 'webhook.test';
}

/**
 * The state of a delivery after its attempt number `attempt`, from 1. The receiver may ask for a longer wait than the schedule's.
 * @param chance From 0 to below 1: the fraction of the jitter for this wait.
 */
export function outcomeOf(
  { type, attempt }: Pick<Delivery, 'type' | 'attempt'>,
  { answer, body }: Attempt,
  at: Date,
  chance: number,
): AttemptOutcome {
  const bodies = { requestBody: body, responseBody: answer.body };
  const fields = { responseStatus: answer.status, reason: answer.reason, at, ...bodies };
  if (isSuccess(answer)) return { ...fields, status: 'delivered', retryAfter: null };
  const delay = isTest({ type }) ? undefined : RETRY_DELAYS[attempt - 1];
  if (delay === undefined) return { ...fields, status: 'dead', retryAfter: null };
  const asked = Math.min(answer.retryAfter ?? 0, MAX_RETRY_AFTER);
  return { ...fields, status: 'pending', retryAfter: Math.round(Math.max(delay, asked) * (1 + JITTER * chance)) };
}

/** An attempt takes 15 seconds at most; a killed process's deliveries are due again after this. */
export const DELIVERY_LEASE_SECONDS = 30;

/** Endpoints and customers that a claim skips, because enough is being sent to them. */
export interface Busy {
  readonly endpointIds: readonly Id[];
  readonly customerIds: readonly Id[];
}

/** The sender's side: deliveries of all customers. Endpoints take turns, so that one's thousands do not delay another's single one. */
export interface DeliveryQueue {
  /**
   * The next due delivery to an enabled endpoint on the network, leased for `leaseSeconds` by the database's clock; its `attempt` is
   * already incremented. Null when nothing is due. No two callers hold one at the same time; one whose lease has expired is due again.
   */
  claim(leaseSeconds: number, busy: Busy): Promise<LeasedDelivery | null>;
  /** The same of one endpoint alone, for the program that listens there. */
  claimOf(
    endpoint: Pick<LeasedDelivery, 'customerId' | 'endpointId'>,
    leaseSeconds: number,
  ): Promise<LeasedDelivery | null>;
  /** Calls `wake` soon after a delivery may have become due. Returns the function that stops it. */
  listen(wake: () => void): Promise<() => Promise<void>>;
  /** Removes deliveries created earlier than this, of all customers, at most `limit`. Returns how many. */
  sweep(before: Date, limit: number): Promise<number>;
  /** Removes the bodies of deliveries created earlier than this, of all customers, at most `limit`. Returns how many had some. */
  sweepBodies(before: Date, limit: number): Promise<number>;
}
