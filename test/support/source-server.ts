import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServedFile } from '../contracts/source-reader.contract.js';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A file server on the loopback address, which answers as a test says. */
export class SourceServer {
  readonly requests: IncomingMessage[] = [];
  /** Connections, whether a request came over them or not. */
  connections = 0;
  private readonly answers = new Map<string, Answer>();

  private constructor(private readonly server: Server) {
    server.on('connection', () => {
      this.connections += 1;
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.requests.push(request);
      const { pathname } = new URL(request.url ?? '', 'http://source');
      const answer = this.answers.get(pathname) ?? ((missing) => missing.writeHead(404).end());
      answer(response, request);
    });
  }

  static async start(): Promise<SourceServer> {
    const server = createServer();
    const source = new SourceServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return source;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Answers requests for this path from here on. Returns its URL. */
  on(path: string, answer: Answer): string {
    this.answers.set(path, answer);
    return this.url(path);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** Serves a file as an ordinary server does, but for its faults. */
export function serve(file: () => ServedFile): Answer {
  return (response, request) => {
    const { bytes, etag = '"1"', statesSize = true, takesRanges = true, breaksAfter } = file();
    const { range, 'if-range': condition } = request.headers;
    const [, from] = /^bytes=(\d+)-$/.exec(range ?? '') ?? [];
    const start = takesRanges && from !== undefined && condition === etag ? Number(from) : 0;
    if (start >= bytes.length && start > 0) return void response.writeHead(416).end();
    const part = bytes.subarray(start);
    if (start > 0) response.setHeader('content-range', `bytes ${start}-${bytes.length - 1}/${bytes.length}`);
    if (etag !== null) response.setHeader('etag', etag);
    if (statesSize) response.setHeader('content-length', part.length);
    response.writeHead(start > 0 ? 206 : 200);
    if (breaksAfter === undefined || breaksAfter >= part.length) return void response.end(part);
    response.write(part.subarray(0, breaksAfter), () => response.destroy());
  };
}
