import pg from 'pg';

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
