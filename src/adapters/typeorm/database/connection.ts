import pg from 'pg';
import type { DataSource } from 'typeorm';

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

const INT8 = 20;
const INT8_ARRAY = 1016;

/** Returns the function by which pg reads values of a type. Ids and sizes stay below 2^53, so they are numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return Number;
  if (oid === INT8_ARRAY) return (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
  return pg.types.getTypeParser(oid, format as 'text');
}

/**
 * Maximum number of waiting calls per connection. With a few milliseconds of a connection for each call, that is half a second: a waiting
 * call will probably get a connection before its time limit, and any further call fails immediately, instead of after holding memory for
 * five seconds.
 */
export const WAITING_PER_CONNECTION = 100;

type Connected = Parameters<pg.Pool['connect']>[0];

/** Refuses callers when too many are waiting for a connection already. Errors: an Error that only the pool throws. */
export class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (this.waitingCount < WAITING_PER_CONNECTION * this.options.max) {
      if (callback === undefined) return super.connect();
      super.connect(callback);
      return undefined;
    }
    const error = new Error(`${this.waitingCount} calls are already waiting for a database connection`);
    if (callback === undefined) return Promise.reject(error);
    setImmediate(callback, error, undefined, () => undefined);
    return undefined;
  }
}

/** Where to connect, and as whom. */
export interface Listening {
  /** None: the connection only shows that the process is alive. */
  readonly channel?: string;
  /**
   * Number of an advisory lock that the connection shares with others of its process: as long as one of them holds it, the process is
   * alive.
   */
  readonly holder?: number;
}

/** Period of waking without a notification: what becomes due with time is not announced. */
const LOOK_EVERY_MS = 2_000;
const RECONNECT_AFTER_MS = 1_000;

/**
 * Calls `wake` when a notification arrives on the channel, with what it carries, and every two seconds: for what has become due with time,
 * and for notifications that were missed. Uses its own connection, and reopens it when it is lost; that never throws. Resolves once it
 * listens, or once it knows that it cannot yet.
 * @returns Stops it, and resolves when the connection is closed.
 */
export async function listenOn(
  config: pg.ClientConfig,
  { channel, holder }: Listening,
  wake: (payload?: string) => void,
): Promise<() => Promise<void>> {
  let last: pg.Client | undefined;
  let reconnecting: NodeJS.Timeout | undefined;
  let stopped = false;
  const looking = setInterval(() => wake(), LOOK_EVERY_MS).unref();
  const connectLater = () => {
    clearTimeout(reconnecting);
    if (!stopped) reconnecting = setTimeout(connect, RECONNECT_AFTER_MS).unref();
  };
  const connect = async () => {
    const client = new pg.Client(config);
    last = client;
    client.on('notification', ({ payload }) => wake(payload));
    // An error precedes the end of the connection, and without a handler it would end the process.
    client.on('error', () => {});
    client.on('end', connectLater);
    try {
      await client.connect();
      if (holder !== undefined) await client.query('SELECT pg_advisory_lock_shared($1)', [holder]);
      if (channel !== undefined) await client.query(`LISTEN ${channel}`);
      wake();
    } catch {
      await client.end().catch(() => {});
      connectLater();
    }
  };
  await connect();
  return async () => {
    stopped = true;
    clearInterval(looking);
    clearTimeout(reconnecting);
    await last?.end().catch(() => {});
  };
}
