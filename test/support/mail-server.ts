import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  /** Of the envelope: who really gets it. */
  readonly from: string;
  readonly to: readonly string[];
  /** As it came. */
  readonly raw: string;
  /** Unfolded, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

/** What a server says instead of taking something: `550 No such mailbox`. */
type Answer = string | null;

/** Somebody's server for mail, on the loopback address. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** What it answers to a recipient, and to a whole mail; null: it takes them. */
  recipients: Answer = null;
  mails: Answer = null;
  /** It never answers a recipient. */
  hangs = false;
  connections = 0;
  private server!: SMTPServer;

  static async start(options: SMTPServerOptions = {}): Promise<MailServer> {
    const started = new MailServer();
    started.server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 100,
      // The certificate that comes with it is good enough here.
      logger: false,
      onConnect: (_session, done) => {
        started.connections += 1;
        done();
      },
      onRcptTo: (_address, _session, done) => {
        if (!started.hangs) done(refusal(started.recipients));
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const refused = refusal(started.mails);
          const addresses = { from: addressOf(envelope.mailFrom), to: envelope.rcptTo.map(addressOf) };
          if (refused === null) started.received.push(parsed(Buffer.concat(chunks).toString('utf8'), addresses));
          done(refused);
        });
      },
      ...options,
    });
    // Connections that are cut on purpose.
    started.server.on('error', () => undefined);
    await new Promise<void>((resolve) => started.server.listen(0, '127.0.0.1', () => resolve()));
    return started;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

function addressOf(given: false | { readonly address: string }): string {
  return given === false ? '' : given.address;
}

function refusal(answer: Answer): Error | null {
  if (answer === null) return null;
  return Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) });
}

function parsed(raw: string, envelope: Pick<ReceivedMail, 'from' | 'to'>): ReceivedMail {
  const [head, body] = split(raw);
  const headers = headersOf(head);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).slice(1, -1).map(split);
  const partOf = (type: string) => {
    const [partHead = '', content = ''] = parts.find(([each]) => each?.includes(type)) ?? [];
    return decoded(content.replace(/\r\n$/, ''), headersOf(partHead)['content-transfer-encoding'] ?? '7bit');
  };
  return { ...envelope, raw, headers, text: partOf('text/plain'), html: partOf('text/html') };
}

function split(text: string): [head: string, body: string] {
  const at = text.indexOf('\r\n\r\n');
  return [text.slice(0, at), text.slice(at + 4)];
}

function headersOf(head: string): Record<string, string> {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name.toLowerCase(), value ?? '']];
    }),
  );
}

function decoded(content: string, encoding: string): string {
  if (encoding === 'base64') return unixLines(Buffer.from(content, 'base64').toString('utf8'));
  if (encoding !== 'quoted-printable') return unixLines(content);
  const bytes = content
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return unixLines(Buffer.from(bytes, 'latin1').toString('utf8'));
}

const unixLines = (text: string) => text.replaceAll('\r\n', '\n');
