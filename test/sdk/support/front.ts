import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request came to, as seen from between client and service. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Of the request's body, as far as it came. */
  bytes: number;
  /** SHA-256 of the request's body; null before its end. */
  sha256: string | null;
  /** Null: the client was left without an answer. */
  status: number | null;
}

/**
 * What the front does to a request: `refuse` cuts the connection before the service hears of it, `forget` after it did what was asked, `cut`
 * in the middle of its answer; `tamper` changes the last byte of that; else the front answers itself.
 */
export type Disturbance =
  | 'refuse'
  | 'forget'
  | 'cut'
  | 'tamper'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown };

/** Stands before a service: counts what passes, and disturbs what a test asks it to. */
export class Front {
  readonly seen: Seen[] = [];
  private target = '';
  private disturb: (seen: Seen) => Disturbance | undefined = () => undefined;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Front> {
    const server = createServer((request, response) => front.handle(request, response));
    const front = new Front(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  leadTo(url: string): void {
    this.target = url;
  }

  /** From now on; the next call replaces it. */
  disturbing(disturb: (seen: Seen) => Disturbance | undefined): void {
    this.disturb = disturb;
  }

  calm(): void {
    this.disturb = () => undefined;
  }

  /** Forgets what was seen, and disturbs nothing. */
  reset(): void {
    this.seen.length = 0;
    this.calm();
  }

  /** Uploads that were taken, by their target. */
  uploads(): Seen[] {
    return this.seen.filter(
      ({ method, path, status }) => method === 'PUT' && path.startsWith('/uploads/') && status === 204,
    );
  }

  writes(): Seen[] {
    return this.seen.filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/v1/'));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private handle(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: path = '', headers } = incoming;
    const seen: Seen = { method, path, headers, bytes: 0, sha256: null, status: null };
    this.seen.push(seen);
    const hash = createHash('sha256');
    incoming.on('data', (chunk: Buffer) => {
      seen.bytes += chunk.length;
      hash.update(chunk);
    });
    incoming.on('end', () => {
      seen.sha256 = hash.digest('hex');
    });
    const disturbance = this.disturb(seen);
    if (disturbance === 'refuse') {
      incoming.socket.destroy();
      return;
    }
    if (typeof disturbance === 'object') {
      answer(incoming, response, seen, disturbance);
      return;
    }
    const onward = request(`${this.target}${path}`, { method, headers, agent: false }, (answered) => {
      if (disturbance === 'forget') {
        answered.resume().on('end', () => incoming.socket.destroy());
        return;
      }
      seen.status = answered.statusCode ?? 0;
      response.writeHead(seen.status, answered.headers);
      if (disturbance === 'cut' || disturbance === 'tamper') spoil(answered, response, disturbance);
      else answered.pipe(response);
    });
    onward.on('error', () => incoming.socket.destroy());
    // Who goes away in the middle is gone for the service, too.
    incoming.on('close', () => incoming.complete || onward.destroy());
    incoming.pipe(onward);
  }
}

function spoil(answered: IncomingMessage, response: ServerResponse, how: 'cut' | 'tamper'): void {
  const chunks: Buffer[] = [];
  answered.on('data', (chunk: Buffer) => chunks.push(chunk));
  answered.on('end', () => {
    const body = Buffer.concat(chunks);
    if (how === 'cut') {
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
      return;
    }
    body.writeUInt8((body.at(-1) as number) ^ 1, body.length - 1);
    response.end(body);
  });
}

function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  seen: Seen,
  { status, headers = {}, body = {} }: Exclude<Disturbance, string>,
): void {
  incoming.on('end', () => {
    seen.status = status;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  incoming.resume();
}
