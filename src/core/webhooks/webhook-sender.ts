/** One request to a receiver. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The receiver's response, or, with status null, why there is none: a sentence for the delivery log. */
export interface WebhookAnswer {
  readonly status: number | null;
  readonly reason: string | null;
}

/** Sends webhooks, and only to permitted addresses. */
export interface WebhookSender {
  /** Why nothing may be sent to this URL, as a sentence; null when it may. Resolves its name. Never throws. */
  refusal(url: string): Promise<string | null>;
  /**
   * POSTs once. Does not send to a URL that `refusal` refuses; its name is resolved once, and the request goes only there. Redirects are
   * not followed. Everything in the response except its status is dropped. Resolves within 15 seconds; never throws.
   */
  post(message: WebhookMessage): Promise<WebhookAnswer>;
}
