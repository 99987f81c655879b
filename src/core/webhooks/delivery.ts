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

/** The bodies that were exchanged in the last completed attempt at a delivery. */
export interface DeliveryBodies {
  /** Null when nothing was sent, and after `BODY_DAYS`. */
  readonly requestBody: string | null;
  /** The beginning of the response's body; null when it had none, and after `BODY_DAYS`. */
  readonly responseBody: string | null;
}

export type DeliveryChange = Partial<
  Pick<Delivery, 'status' | 'attempt' | 'responseStatus' | 'reason' | 'attemptedAt' | 'endedAt'> & DeliveryBodies
>;

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
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS.length + 1;

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
 * The state of a delivery after its attempt number `attempt`, from 1, and the milliseconds until the next one; null when there is none. The
 * receiver may ask for a longer wait than the schedule's.
 * @param chance From 0 to below 1: the fraction of the jitter for this wait.
 */
export function outcomeOf(
  { type, attempt }: Pick<Delivery, 'type' | 'attempt'>,
  { answer, body }: Attempt,
  at: Date,
  chance: number,
): { readonly retryAfterMs: number | null; readonly change: DeliveryChange } {
  const { status: responseStatus, reason } = answer;
  const made = { attempt, responseStatus, reason, attemptedAt: at, requestBody: body, responseBody: answer.body };
  if (isSuccess(answer)) return { retryAfterMs: null, change: { ...made, status: 'delivered', endedAt: at } };
  const delay = isTest({ type }) ? undefined : RETRY_DELAYS[attempt - 1];
  if (delay === undefined) return { retryAfterMs: null, change: { ...made, status: 'dead', endedAt: at } };
  const asked = Math.min(answer.retryAfterMs ?? 0, MAX_RETRY_AFTER);
  const retryAfterMs = Math.round(Math.max(delay, asked) * (1 + JITTER * chance));
  return { retryAfterMs, change: { ...made, status: 'pending', endedAt: null } };
}

/** An attempt takes 15 seconds at most; a killed process's deliveries are due again after this. */
export const DELIVERY_LEASE_SECONDS = 30;

/** The log of all customers. */
export interface DeliveryLog {
  /** Removes deliveries created earlier than this, at most `limit`. Returns how many. */
  sweep(before: Date, limit: number): Promise<number>;
  /** Removes the bodies of deliveries created earlier than this, at most `limit`. Returns how many had some. */
  sweepBodies(before: Date, limit: number): Promise<number>;
}
