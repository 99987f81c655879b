import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server says to a request: a JSON answer, or whatever it does with the response itself. */
export type Say = (path: string, request: IncomingMessage, response: ServerResponse) => unknown;

/** A server on loopback that says whatever a test wants it to; what the handler returns is sent as JSON. */
export class HostileServer {
  readonly paths: string[] = [];
  say: Say = () => ({});

  private constructor(private readonly server: Server) {}

  static async open(): Promise<HostileServer> {
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      hostile.paths.push(`${request.method} ${path}`);
      const answer = hostile.say(path, request, response);
      if (response.headersSent || response.writableEnded) return;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    const hostile = new HostileServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hostile;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A photo as the API shows it, as far as clients look at it. */
export function photoCalled(filename: string, content: string, id: unknown = 7): Record<string, unknown> {
  return {
    id,
    filename,
    sizeBytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content).digest('hex'),
    updatedAt: '2026-11-21T03:04:05.123Z',
    trashedAt: null,
  };
}

export function page(data: readonly unknown[], nextCursor: unknown = null): unknown {
  return { data, pagination: { nextCursor, hasMore: nextCursor !== null } };
}

/** The bytes of an original, with what is promised of them. */
export function sendBytes(response: ServerResponse, content: string): void {
  const digest = createHash('sha256').update(content).digest('base64');
  response.writeHead(200, {
    'content-type': 'image/jpeg',
    'content-length': Buffer.byteLength(content),
    'repr-digest': `sha-256=:${digest}:`,
  });
  response.end(content);
}
