import { createHash } from 'node:crypto';
import pg from 'pg';

/** Each connection caches all of them, and a plan takes tens of kilobytes of the server's memory. */
const MAX_STATEMENTS = 100;

const names = new Map<string, string>();

/**
 * Makes each connection prepare this statement once, by name, and send only its values afterwards: parsing and planning took longer than
 * most of our statements run. Only for frequent statements whose best plan does not depend on the values. Returns the statement.
 */
export function prepared(sql: string): string {
  // By the text, not by a number: behind a pooler, processes of several releases may share a connection.
  if (!names.has(sql) && names.size < MAX_STATEMENTS)
    names.set(sql, createHash('sha256').update(sql).digest('base64url').slice(0, 16));
  return sql;
}

/** A connection that prepares marked statements, whatever the caller: TypeORM does not support named statements. */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen forms, all of which go through here.
  override query(statement: any, ...rest: any[]): any {
    const name = typeof statement === 'string' ? names.get(statement) : undefined;
    const named = name === undefined ? statement : { name, text: statement };
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    return (super.query as any)(named, ...rest);
  }
}
