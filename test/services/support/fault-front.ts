import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with one request. Those with `after` are cut or stop after so many bytes of the answer's body. */
export type Fault =
  /** The store is not asked; this is the answer, with S3's error body where there is a code, else with a page of HTML. */
  | { readonly kind: 'refused'; readonly status: number; readonly code?: string }
  /** Neither asked nor answered. */
  | { readonly kind: 'hang' }
  /** The connection is cut before the store is asked. */
  | { readonly kind: 'reset' }
  /** The store does what it was asked to, and nobody hears of it. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'cut'; readonly after: number }
  | { readonly kind: 'stuck'; readonly after: number }
  /** The body ends early and its head says so: a sound answer with too little in it. */
  | { readonly kind: 'short'; readonly after: number }
  /** One bit of the body is another. */
  | { readonly kind: 'flipped'; readonly at: number };

/** Stands between a client and the server of a store and spoils what it is told to. Signatures stay right: nothing of a request is changed. */
export class FaultFront {
  /** Verb, path and query of every request, in order. */
  readonly asked: string[] = [];
  private readonly server: Server;
  private choose: (asked: string, nth: number) => Fault | null = () => null;
  private counted = 0;

  private constructor(private readonly target: URL) {
    this.server = createServer((incoming, outgoing) => this.handle(incoming, outgoing));
  }

  static async to(endpoint: string): Promise<FaultFront> {
    const front = new FaultFront(new URL(endpoint));
    await new Promise<void>((resolve) => front.server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on: the fault of a request, by what it asks and its number from 1; null for none. */
  spoil(choose: (asked: string, nth: number) => Fault | null): void {
    this.choose = choose;
    this.counted = 0;
  }

  /** Every request. */
  spoilAll(fault: Fault): void {
    this.spoil(() => fault);
  }

  heal(): void {
    this.spoil(() => null);
  }

  /** Requests since the last word about faults. */
  get requests(): number {
    return this.counted;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const asked = `${incoming.method} ${incoming.url}`;
    this.asked.push(asked);
    this.counted += 1;
    const fault = this.choose(asked, this.counted);
    outgoing.on('error', () => undefined);
    incoming.on('error', () => undefined);
    if (fault?.kind === 'hang') incoming.resume();
    else if (fault?.kind === 'reset') incoming.socket.destroy();
    else if (fault?.kind === 'refused') refuse(incoming, outgoing, fault);
    else this.forward(incoming, outgoing, fault);
  }

  private forward(incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | null) {
    const { hostname, port } = this.target;
    const options = { hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () => reply(answer, Buffer.concat(chunks), outgoing, fault));
    });
    sent.once('error', () => outgoing.destroy());
    incoming.pipe(sent);
  }
}

/** Breaks a store behind a front, for `blobStoreContract`. */
export function breaking(front: () => FaultFront) {
  const mend = () => front().heal();
  return {
    breakStore() {
      front().spoilAll({ kind: 'reset' });
      return mend;
    },
    truncateBodies(after: number) {
      front().spoil((asked) => (asked.startsWith('GET') ? { kind: 'cut', after } : null));
      return mend;
    },
  };
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, fault: Extract<Fault, { kind: 'refused' }>): void {
  incoming.resume().once('end', () => {
    const body = fault.code
      ? `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${fault.code}</Code><Message>spoilt</Message></Error>`
      : '<html><body>Something in between has a word.</body></html>';
    outgoing.writeHead(fault.status, { 'content-type': fault.code ? 'application/xml' : 'text/html' }).end(body);
  });
}

function reply(answer: IncomingMessage, body: Buffer, outgoing: ServerResponse, fault: Fault | null): void {
  const { 'transfer-encoding': _, ...headers } = answer.headers;
  const status = answer.statusCode ?? 500;
  if (fault?.kind === 'lost') {
    outgoing.destroy();
  } else if (fault?.kind === 'short') {
    outgoing
      .writeHead(status, { ...headers, 'content-length': String(fault.after) })
      .end(body.subarray(0, fault.after));
  } else if (fault?.kind === 'cut' || fault?.kind === 'stuck') {
    outgoing.writeHead(status, headers);
    outgoing.write(body.subarray(0, fault.after), () => {
      if (fault.kind === 'cut') outgoing.destroy();
    });
  } else {
    if (fault?.kind === 'flipped') body[fault.at] = (body[fault.at] ?? 0) ^ 1;
    outgoing.writeHead(status, headers).end(body);
  }
}
