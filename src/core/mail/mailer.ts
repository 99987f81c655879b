import type { QueuedMail } from './mail.js';

/** How an attempt to send a mail ended. `refused`: the server will never take it, for example because the mailbox does not exist. */
export type SendResult = 'sent' | 'refused';

/** How an attempt ended for the operator who waits for it. */
export interface SendReport {
  /** `unavailable`: the server could not be used, or takes no mails now. */
  readonly result: SendResult | 'unavailable';
  /** What the server answered, on one line; without an answer, why there is none. It may repeat the address, so it is not for logs. */
  readonly answer: string;
}

/** Sends mails. */
export interface Mailer {
  /**
   * Hands a mail over to a server that delivers it. No text of the mail can add a recipient or a line to what stands above it. A mail that
   * is handed over again, because nobody knows whether it was, has the same id. No error contains an address or a link. Errors:
   * `service_unavailable` when it may work later, also when the server does not answer in time.
   */
  send(mail: QueuedMail): Promise<SendResult>;
  /** As `send`, and says what the server answered. */
  sendReported(mail: QueuedMail): Promise<SendReport>;
  /** Connects and signs in as for a mail, and sends none. Errors: `service_unavailable`. */
  check(): Promise<void>;
}
