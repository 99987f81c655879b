import { createConnection, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import type { DatabaseAddress } from '../../src/adapters/typeorm/database/connection.js';
import { pgConfig } from './postgres.js';

/** Stands between the service and its database, and can stop passing anything on in the connections that there are. */
export class PausableRelay {
  private readonly sockets: Socket[] = [];

  private constructor(
    private readonly server: Server,
    readonly connection: NonNullable<DatabaseAddress['connection']>,
  ) {}

  static async to({ url, connection }: DatabaseAddress): Promise<PausableRelay> {
    const target = new pg.Client(pgConfig({ url, connection }));
    const { host, port: targetPort, user = '', password, database: name = '' } = target;
    const connect = () =>
      host.startsWith('/') ? createConnection(`${host}/.s.PGSQL.${targetPort}`) : createConnection(targetPort, host);
    const server = createServer((near) => {
      const far = connect();
      relay.sockets.push(near, far);
      for (const end of [near, far]) end.on('error', () => undefined);
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const address = { host: '127.0.0.1', port, user, password: password ?? '', database: name };
    const relay = new PausableRelay(server, address);
    return relay;
  }

  pause(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
