import type { QueuedMail } from './mail.js';

/** How an attempt to send a mail ended. `refused`: the server will never take it, for example because the mailbox does not exist. */
export type SendResult = 'sent' | 'refused';

/** Sends mails. */
export interface Mailer {
  /**
   * Hands a mail over to a server that delivers it. No text of the mail can add a recipient or a line to what stands above it. A mail that
   * is handed over again, because nobody knows whether it was, has the same id. No error contains an address or a link.
   * Errors: `service_unavailable` when it may work later, also when the server does not answer in time.
   */
  send(mail: QueuedMail): Promise<SendResult>;
  /** Connects and signs in as for a mail, and sends none. Errors: `service_unavailable`. */
  check(): Promise<void>;
}
