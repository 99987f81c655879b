import type { Mailer, QueuedMail, SendReport, SendResult } from '../../core/mail/mail.js';
import { DomainError } from '../../core/shared/errors.js';
import { Lazy } from '../shared-work.js';
import { withTimeout } from '../system-clock.js';
import { htmlOf, plainTextOf, textOf } from './mail-texts.js';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, as with `smtps:`. */
  readonly implicitTls: boolean;
  /** A connection that is not encrypted is good enough, as on this machine; what encrypts one is not verified then. */
  readonly plaintextAllowed: boolean;
  readonly credentials: { readonly user: string; readonly pass: string } | null;
  readonly from: { readonly name: string; readonly address: string };
  /** The longest time that the server may take for one mail. Default: 45 s. */
  readonly timeoutMs?: number;
}

/** So many mails at a time. More wait in the queue: a server that hangs must not hold all jobs. */
const MAX_CONNECTIONS = 2;
const TIMEOUT_MS = 45_000;

type Transport = ReturnType<typeof import('nodemailer').createTransport>;

/** Sends mails to one SMTP server, over a connection for each. */
export class SmtpMailer implements Mailer {
  /** Loaded with the first mail: most processes never send one. */
  private readonly transport = new Lazy(() => this.open());
  private underWay = 0;

  constructor(private readonly options: SmtpOptions) {}

  async send(mail: QueuedMail): Promise<SendResult> {
    try {
      await this.handOver(mail);
      return 'sent';
    } catch (error) {
      if (isRefusal(error)) return 'refused';
      throw this.outage(error);
    }
  }

  async sendReported(mail: QueuedMail): Promise<SendReport> {
    try {
      return { result: 'sent', answer: onOneLine((await this.handOver(mail)).response) };
    } catch (error) {
      const answer = onOneLine((error as SmtpError).response ?? reasonOf(error));
      return { result: isRefusal(error) ? 'refused' : 'unavailable', answer };
    }
  }

  async check(): Promise<void> {
    try {
      await this.withServer((transport) => transport.verify());
    } catch (error) {
      throw this.outage(error);
    }
  }

  private handOver({ id, mail, at }: QueuedMail) {
    const { from } = this.options;
    const text = textOf(mail);
    const message = {
      // As objects: nodemailer reads a text as a list of addresses.
      from,
      to: { name: '', address: mail.to.address },
      subject: text.subject,
      text: plainTextOf(text),
      html: htmlOf(text),
      messageId: `<${id}@${from.address.split('@').at(-1)}>`,
      date: at,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    return this.withServer((transport) => transport.sendMail(message));
  }

  private async withServer<T>(work: (transport: Transport) => Promise<T>): Promise<T> {
    if (this.underWay >= MAX_CONNECTIONS) throw new Error(`it is busy with ${this.underWay} other mails`);
    this.underWay += 1;
    const { timeoutMs = TIMEOUT_MS } = this.options;
    try {
      return await withTimeout(work(await this.transport.get()), timeoutMs, `no response within ${timeoutMs} ms`);
    } finally {
      this.underWay -= 1;
    }
  }

  private async open(): Promise<Transport> {
    const { createTransport } = await import('nodemailer');
    const { host, port, implicitTls, plaintextAllowed, credentials, timeoutMs = TIMEOUT_MS } = this.options;
    return createTransport({
      host,
      port,
      secure: implicitTls,
      requireTLS: !plaintextAllowed,
      opportunisticTLS: plaintextAllowed,
      tls: { rejectUnauthorized: !plaintextAllowed },
      ...(credentials && { auth: credentials }),
      connectionTimeout: Math.min(10_000, timeoutMs),
      greetingTimeout: Math.min(10_000, timeoutMs),
      dnsTimeout: Math.min(10_000, timeoutMs),
      // Also ends connections whose mail has been given up above.
      socketTimeout: Math.min(20_000, timeoutMs),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** Without what the server said, which may repeat an address or a password. */
  private outage(error: unknown): DomainError {
    const { host, port } = this.options;
    return new DomainError(
      'service_unavailable',
      `The mail server ${host}:${port} cannot be used: ${reasonOf(error)}.`,
    );
  }
}

/** Nothing in it controls the terminal that shows it. */
function onOneLine(answer: string): string {
  return answer.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

interface SmtpError {
  readonly code?: string;
  readonly originalCode?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly permanent?: boolean;
}

/** Whether the server refuses this mail or its recipient, for good. A server that refuses the sender's password may be told another one. */
function isRefusal(error: unknown): boolean {
  const { code, permanent } = error as SmtpError;
  return permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE');
}

const reasons: Readonly<Record<string, string>> = {
  EAUTH: 'it does not accept the user name and password of SMTP_URL',
  ENOAUTH: 'it wants a user name and a password in SMTP_URL',
  ETLS: 'it offers no encryption (STARTTLS), or its certificate is not trusted',
  EDNS: 'its name is not known',
  ETIMEDOUT: 'it does not answer in time',
};

function reasonOf(error: unknown): string {
  const { code, originalCode, responseCode } = error as SmtpError;
  const reason = reasons[code ?? ''];
  if (reason !== undefined) return reason;
  if (responseCode !== undefined) return `it answered ${responseCode}`;
  return originalCode ?? code ?? (error instanceof Error ? error.message : 'an unknown error');
}
