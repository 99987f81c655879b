import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

/** Passes connections on, and cuts each after so many bytes of the client. */
export class CuttingProxy {
  private readonly sockets = new Set<Socket>();
  /** Bytes that clients have sent, those that were not passed on included. */
  received = 0;
  /** Connections that were cut. */
  cuts = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /**
   * @param afterBytes Of a connection; null: never. May be changed.
   * @param bytesPerSecond Of a connection. As fast as possible, megabytes lie between two programs of one machine.
   */
  static async before(
    target: string,
    cutting: { afterBytes: number | null; readonly bytesPerSecond?: number },
  ): Promise<CuttingProxy> {
    const { hostname, port: targetPort } = new URL(target);
    const server = createServer((near) => {
      const far = createConnection(Number(targetPort), hostname);
      for (const socket of [near, far]) {
        proxy.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          proxy.sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      far.pipe(near);
      let passed = 0;
      near.on('data', (chunk: Buffer) => {
        proxy.received += chunk.length;
        const left = cutting.afterBytes === null ? chunk.length : cutting.afterBytes - passed;
        const piece = chunk.subarray(0, Math.max(0, left));
        passed += piece.length;
        if (piece.length < chunk.length) {
          proxy.cuts += 1;
          near.removeAllListeners('data').pause();
          // What was passed on arrives.
          far.end(piece, () => near.destroy());
          return;
        }
        const isFull = !far.write(piece);
        const pauseMs = (piece.length / (cutting.bytesPerSecond ?? Number.POSITIVE_INFINITY)) * 1000;
        if (!isFull && pauseMs < 1) return;
        near.pause();
        const goOn = () => void setTimeout(() => near.resume(), pauseMs);
        if (isFull) far.once('drain', goOn);
        else goOn();
      });
      near.on('end', () => far.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new CuttingProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return proxy;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
