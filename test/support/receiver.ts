import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Somebody's server for webhooks, on the loopback address. Keeps what it gets; answers what a test says. */
export class Receiver {
  readonly received: Received[] = [];
  /** Connections, whether a request came over them or not. */
  connections = 0;
  /** 204 until a test says otherwise. */
  answer: (response: ServerResponse, request: Received) => void = (response) => response.writeHead(204).end();

  private constructor(private readonly server: Server) {
    server.on('connection', () => {
      this.connections += 1;
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.take(request, response));
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
    this.received.push(received);
    this.answer(response, received);
  }
}
