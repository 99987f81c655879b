import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { limitSockets } from '../../src/start/serving/open-app.js';

/** Long enough for everything else that a test does, short enough to wait for. */
const IDLE_MS = 1000;

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A server whose sockets may stand still for a shorter time than in service. */
async function listen(answer: RequestListener): Promise<number> {
  server = createServer(answer);
  limitSockets(server);
  server.timeout = IDLE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** What comes back until the other side closes. */
function talk(port: number, begin: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const socket = connect(port, '127.0.0.1', () => begin(socket));
    socket.on('data', (chunk) => {
      seen += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(seen));
  });
}

const head = (length: number) => `PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;

describe('connections that stand still', () => {
  test('headers have 30 s, an idle body 60 s, and a whole request as long as it takes', async () => {
    server = createServer();
    limitSockets(server);
    expect([server.headersTimeout, server.timeout, server.requestTimeout]).toEqual([30_000, 60_000, 0]);
    await new Promise<void>((resolve) => server.listen(0, resolve));
  });

  test('a body that stops coming ends the connection', async () => {
    const port = await listen((request) => request.resume());
    expect(await talk(port, (socket) => socket.write(`${head(10)}half`))).toBe('');
  });

  test('a body that keeps arriving, however slowly, is accepted', async () => {
    const port = await listen((request, response) => {
      request.resume();
      request.on('end', () => response.end('taken'));
    });
    const seen = await talk(port, (socket) => {
      socket.write(head(8));
      let left = 8;
      const drip = setInterval(() => {
        socket.write('x');
        left -= 1;
        if (left === 0) clearInterval(drip);
      }, IDLE_MS / 10);
    });
    expect(seen).toContain('taken');
  });

  test('no client is disconnected while its response is prepared', async () => {
    const port = await listen((request, response) => {
      request.resume();
      setTimeout(() => response.end('done'), IDLE_MS * 1.5);
    });
    expect(await talk(port, (socket) => socket.write(head(0)))).toContain('done');
  });

  test('a client that does not read the answer is cut off', async () => {
    const size = 64 * 1024 * 1024;
    let answering: (socket: Socket) => void;
    const answered = new Promise<Socket>((resolve) => {
      answering = resolve;
    });
    const port = await listen((request, response) => {
      response.end(Buffer.alloc(size));
      answering(request.socket);
    });
    const socket = connect(port, '127.0.0.1', () => socket.write(head(0)));
    socket.pause();
    const ours = await answered;
    // The client never closes: only we can.
    await new Promise((resolve) => ours.once('close', resolve));
    expect(socket.bytesRead).toBeLessThan(size);
    socket.destroy();
  });
});
