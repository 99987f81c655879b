import type { Id } from '../shared/ids.js';

/** One request to a receiver of a customer. */
export interface WebhookMessage {
  readonly customerId: Id;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The receiver's response, or, with status null, why there is none: a sentence for the delivery log. */
export interface WebhookAnswer {
  readonly status: number | null;
  readonly reason: string | null;
  /**
   * The beginning of the response's body, up to `MAX_ANSWER_BYTES`, as text without control characters and without what looks like a
   * secret; null when there is none.
   */
  readonly body: string | null;
  /** Time that a busy receiver (429, 503) asks to wait, in milliseconds. Absent: it does not. */
  readonly retryAfterMs?: number;
}

/** A request for a receiver, and what became of it. */
export interface Attempt {
  /** The body of the request; null when none could be made. */
  readonly body: string | null;
  readonly answer: WebhookAnswer;
}

/** So much of a response is passed on. */
export const MAX_ANSWER_BYTES = 1024;

/** Sends webhooks, and only to permitted addresses. */
export interface WebhookSender {
  /** Why nothing may be sent to this URL of a customer, as a sentence; null when it may. Resolves its name. Never throws. */
  refusal(url: string, customerId: Id): Promise<string | null>;
  /**
   * POSTs once. Does not send to a URL that `refusal` refuses; its name is resolved once, and the request goes only there. Redirects are
   * not followed. Everything in the response except its status and the beginning of its body is dropped. Resolves within 15 seconds; never
   * throws.
   */
  post(message: WebhookMessage): Promise<WebhookAnswer>;
}
