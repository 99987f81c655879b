import type { Mailer, QueuedMail, SendReport, SendResult } from '../../src/core/mail/mail.js';
import { DomainError } from '../../src/core/shared/errors.js';

/** A server for mail, and the mailboxes behind it: one that gets a mail twice shows it once. */
export class MemoryMailer implements Mailer {
  private readonly byId = new Map<string, QueuedMail>();
  /** The way the server takes mails until a test says otherwise. */
  result: SendResult | 'away' = 'sent';

  get sent(): readonly QueuedMail[] {
    return [...this.byId.values()];
  }

  async send(mail: QueuedMail): Promise<SendResult> {
    await this.check();
    if (this.result === 'sent') this.byId.set(mail.id, mail);
    return this.result as SendResult;
  }

  async sendReported(mail: QueuedMail): Promise<SendReport> {
    if (this.result === 'away') return { result: 'unavailable', answer: '451 Not now' };
    return { result: await this.send(mail), answer: this.result === 'sent' ? '250 Taken' : '550 No mailbox' };
  }

  async check(): Promise<void> {
    if (this.result === 'away') throw new DomainError('service_unavailable', 'The mail server cannot be used.');
  }
}
