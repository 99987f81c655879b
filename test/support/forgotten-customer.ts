import pg from 'pg';
import { onOneLine } from './of-all-customers.js';

/** Tries of one statement: the rows of a test are not always such that it finds any of others. */
const MOST = 8;
const REPEATS = 16;

type Ask = (this: pg.Client, ...given: unknown[]) => Promise<pg.QueryResult>;

const BEGIN = /^START TRANSACTION; SET LOCAL ROLE "[^"]+"; SET LOCAL photo_service\.customer = '(\d+)'$/;
const ROWS = /^[\s(]*(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\b/i;
const CONDITION = /(?:"?\w+"?\.)?"?customer_id"? = (\$\d+)(?:::bigint)?/g;

/** The statement as somebody would have written who forgot the customer: as many parameters, no condition. Null: it has none. */
function withoutCustomer(sql: string): string | null {
  const own = /\b(FROM|UPDATE) "?customers"?\b/.test(sql)
    ? sql.replace(/\bid = (\$1)\b/g, '$1::bigint IS NOT NULL')
    : sql;
  const forgotten = own.replace(CONDITION, '$1::bigint IS NOT NULL');
  return forgotten === sql ? null : forgotten;
}

/** Another plan finds the same rows in another order. */
function inAnyOrder(rows: readonly unknown[]): string {
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join();
}

/**
 * Before each statement of a customer's transaction runs, tries what it would do had its author forgotten the customer, and undoes
 * that: once under the policies, and once as the owner of the tables, whom they do not hold.
 */
export class ForgottenCustomer {
  /** Statements that did so to rows of others, or were answered with more than the statement as it is. */
  readonly changed = { asRole: new Set<string>(), asOwner: new Set<string>() };
  readonly read = { asRole: new Set<string>(), asOwner: new Set<string>() };
  private readonly customers = new WeakMap<pg.Client, number>();
  /** How often each statement was tried; once it has shown what it would do, seldom again. */
  private readonly tried = new Map<string, number>();
  private tables: readonly string[] = [];
  private ask: Ask | null = null;

  async start(query: (sql: string) => Promise<unknown[]>): Promise<void> {
    const rows = await query(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'customer_id'
       WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`,
    );
    this.tables = rows.map((row) => (row as { name: string }).name);
    const ask = pg.Client.prototype.query as unknown as Ask;
    this.ask = ask;
    const look = this.look.bind(this);
    pg.Client.prototype.query = function probing(this: pg.Client, ...given: unknown[]) {
      return look(this, given, (...own) => ask.apply(this, own));
    } as unknown as typeof pg.Client.prototype.query;
  }

  stop(): void {
    if (this.ask !== null) pg.Client.prototype.query = this.ask as unknown as typeof pg.Client.prototype.query;
  }

  private look(client: pg.Client, given: unknown[], ask: (...given: unknown[]) => Promise<pg.QueryResult>) {
    const [first, values] = given;
    const sql = typeof first === 'string' ? first : ((first as { text?: string }).text ?? '');
    const begin = BEGIN.exec(sql);
    if (begin !== null) this.customers.set(client, Number(begin[1]));
    if (/^(COMMIT|ROLLBACK)$/.test(sql)) this.customers.delete(client);
    const customerId = this.customers.get(client);
    const forgotten = customerId === undefined || !ROWS.test(sql) ? null : withoutCustomer(sql);
    if (forgotten === null || customerId === undefined || (this.tried.get(sql) ?? 0) >= MOST) return ask(...given);
    return this.probe(ask, customerId, [sql, forgotten, values]).then(() => ask(...given));
  }

  private async probe(
    ask: (...given: unknown[]) => Promise<pg.QueryResult>,
    customerId: number,
    [sql, forgotten, values]: readonly [string, string, unknown],
  ): Promise<void> {
    const undone = async <T>(work: () => Promise<T>): Promise<T | null> => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
        return null;
      } finally {
        await ask('ROLLBACK TO SAVEPOINT forgotten');
      }
    };
    const others = async (tables: readonly string[]) => {
      if (tables.length === 0) return '';
      await ask('RESET ROLE');
      const parts = tables.map(
        (name) =>
          `SELECT '${name}' AS name, md5(string_agg(t::text, ',' ORDER BY t::text)) AS rows FROM ${name} t WHERE customer_id <> $1`,
      );
      // Without an order, tables that are read in parallel come as they are done.
      return JSON.stringify((await ask(`${parts.join(' UNION ALL ')} ORDER BY name`, [customerId])).rows);
    };
    const isRead = /^[\s(]*SELECT\b/i.test(sql) && !/nextval|clock_timestamp|random/.test(sql);
    await ask('SAVEPOINT forgotten');
    for (const as of ['asRole', 'asOwner'] as const) {
      // Another transaction of the test can come between: what the statement does it does each time.
      for (let attempt = 0; attempt < REPEATS; attempt += 1) {
        const right = isRead ? await undone(async () => (await ask(sql, values)).rows) : null;
        const seen = await undone(async () => {
          if (as === 'asOwner') await ask('RESET ROLE');
          const written = isRead ? async () => [] : await this.writes(ask);
          const { rows } = await ask(forgotten, values);
          const tables = await written();
          return { rows, tables, after: await others(tables) };
        });
        if (seen === null) break;
        const changed = seen.after !== (await undone(() => others(seen.tables)));
        const read = isRead && inAnyOrder(seen.rows) !== inAnyOrder(right ?? []);
        if (!changed && !read) break;
        if (attempt < REPEATS - 1 && as === 'asRole') continue;
        if (changed) this.changed[as].add(onOneLine(sql));
        if (read) this.read[as].add(onOneLine(sql));
        break;
      }
    }
    await ask('RELEASE SAVEPOINT forgotten');
    const leaks = this.changed.asOwner.has(onOneLine(sql)) || this.read.asOwner.has(onOneLine(sql));
    const tried = (this.tried.get(sql) ?? 0) + (leaks ? MOST / 2 : 1);
    this.tried.set(sql, tried);
  }

  /** From now on: the tables of customers that the transaction writes rows of, cascades and triggers included. */
  private async writes(
    ask: (...given: unknown[]) => Promise<pg.QueryResult>,
  ): Promise<() => Promise<readonly string[]>> {
    const counted = async () => {
      // As the view pg_stat_xact_user_tables has them, which looks for the indexes of all tables each time.
      const counts = ['inserted', 'updated', 'deleted'].map((kind) => `pg_stat_get_xact_tuples_${kind}(name)`);
      const sql = `SELECT name::text, ${counts.join(' + ')} AS rows FROM unnest($1::regclass[]) AS name`;
      const { rows } = await ask(sql, [this.tables]);
      return new Map(rows.map(({ name, rows }: { name: string; rows: string }) => [name, rows]));
    };
    const before = await counted();
    return async () => {
      const now = await counted();
      return this.tables.filter((name) => now.get(name) !== before.get(name));
    };
  }
}
