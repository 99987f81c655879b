import pg from 'pg';

/**
 * For each connection so many may wait for it. With what a call takes of it, a few milliseconds, that is half a second: who waits has a good
 * chance before its time is over, and whoever comes beyond is told at once, instead of after five seconds of memory that it held.
 */
export const WAITING_PER_CONNECTION = 100;

type Connected = Parameters<pg.Pool['connect']>[0];

/** Turns callers away when too many wait for a connection already. Errors: an Error, which is nobody's but the pool's. */
export class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (this.waitingCount < WAITING_PER_CONNECTION * this.options.max) {
      if (callback === undefined) return super.connect();
      super.connect(callback);
      return undefined;
    }
    const error = new Error(`${this.waitingCount} calls wait for a connection to the database already`);
    if (callback === undefined) return Promise.reject(error);
    setImmediate(callback, error, undefined, () => undefined);
    return undefined;
  }
}
