import pg from 'pg';
import type { DataSource } from 'typeorm';
import { getTypeParser } from './value-parsers.js';

/** Where the database is: a URL, or the result of `openEmbeddedPostgres`. */
export interface DatabaseAddress {
  readonly url?: string | undefined;
  /** The same database without the pooler that `url` leads through, for connections that need their own session. Default: `url`. */
  readonly directUrl?: string | undefined;
  readonly connection?:
    | {
        /** Name, address, or the folder of a unix socket. */
        readonly host: string;
        readonly port: number;
        readonly user: string;
        readonly password: string;
        readonly database: string;
      }
    | undefined;
}

/** The wait for a connection from the pool, and the longest time of one statement. */
export const LIMIT_MS = 5_000;

/** Options of one connection without a pool. */
export function connectionTo(address: DatabaseAddress): pg.ClientConfig {
  return clientOptions(directly(address), { connectionTimeoutMillis: LIMIT_MS });
}

/** Options of a connection outside the pool, for example one that listens. */
export function clientConfig(dataSource: DataSource): pg.ClientConfig {
  return (dataSource.options.extra as { direct: pg.ClientConfig }).direct;
}

/** Runs work on a connection outside the pool, and closes it. */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  // The statement that it ends reports the error; without a handler it would also end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Past a pooler. */
export function directly({ url, directUrl, connection }: DatabaseAddress): DatabaseAddress {
  return { url: directUrl ?? url, connection };
}

export function clientOptions({ url, connection }: DatabaseAddress, limits: pg.PoolConfig): pg.PoolConfig {
  return {
    ...(url === undefined ? connection : { connectionString: url }),
    ...limits,
    keepAlive: true,
    application_name: 'photo-service',
    // Settings that a server may have changed, and that our SQL relies on.
    options: '-c default_transaction_isolation=read\\ committed -c timezone=UTC -c datestyle=ISO',
    types: { getTypeParser },
  };
}
