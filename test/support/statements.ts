import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

const aside = new AsyncLocalStorage<true>();

/** Runs what a test arranges or looks up by itself: its statements are none of the adapters'. */
export function arranging<T>(work: () => Promise<T>): Promise<T> {
  return aside.run(true, work);
}

type Ask = (this: pg.Client, ...given: unknown[]) => unknown;

/** Every different statement that goes to a database, on whatever connection, from `start` to `stop`. */
export class RecordedStatements {
  private readonly asked = new Set<string>();
  private query: Ask | null = null;

  start(): void {
    const { asked } = this;
    const query = pg.Client.prototype.query as Ask;
    this.query = query;
    pg.Client.prototype.query = function record(this: pg.Client, ...given: unknown[]) {
      const [first] = given;
      const sql = typeof first === 'string' ? first : (first as { text?: string }).text;
      if (sql !== undefined && aside.getStore() === undefined) asked.add(sql);
      return query.apply(this, given);
    } as typeof pg.Client.prototype.query;
  }

  stop(): void {
    if (this.query !== null) pg.Client.prototype.query = this.query as typeof pg.Client.prototype.query;
  }

  all(): readonly string[] {
    return [...this.asked];
  }

  /** Those that read or write rows: no BEGIN, no LISTEN. */
  aboutRows(): readonly string[] {
    return [...this.asked].filter((sql) => /^[\s(]*(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\b/i.test(sql));
  }
}
