/** One request to a receiver. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the receiver answered, or, with status null, why there is no answer: a sentence for the delivery log. */
export interface WebhookAnswer {
  readonly status: number | null;
  readonly reason: string | null;
}

/** Sends webhooks, and only to where they may go (RELIABILITY.md A9). */
export interface WebhookSender {
  /**
   * Why nothing may be sent to this URL, as a sentence; null when it may. Asks where its name leads. Never throws.
   */
  refusal(url: string): Promise<string | null>;
  /**
   * POSTs once. A URL that `refusal` refuses is not sent to; where its name leads is asked once, and the request goes there and
   * nowhere else. Redirects are not followed. What the receiver says beside its status is dropped. Answers within 15 seconds;
   * never throws.
   */
  post(message: WebhookMessage): Promise<WebhookAnswer>;
}
