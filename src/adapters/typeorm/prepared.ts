import { createHash } from 'node:crypto';
import pg from 'pg';

/** Each connection keeps every one of them, and its plan takes tens of kilobytes of the server's memory. */
const MOST = 100;

const names = new Map<string, string>();

/**
 * Has each connection prepare this statement once, by a name, and then only be told its values: parsing and planning took longer than
 * most of our statements run. Only for what is asked often, and whose best plan is the same whatever the values are. Answers the statement.
 */
export function prepared(sql: string): string {
  // By the text, not by a number: behind a pooler the processes of several releases may share a connection.
  if (!names.has(sql) && names.size < MOST)
    names.set(sql, createHash('sha256').update(sql).digest('base64url').slice(0, 16));
  return sql;
}

/** A connection that prepares what is to be prepared, whoever asks: TypeORM knows no names of statements. */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen forms, all of which go through here.
  override query(statement: any, ...rest: any[]): any {
    const name = typeof statement === 'string' ? names.get(statement) : undefined;
    const named = name === undefined ? statement : { name, text: statement };
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    return (super.query as any)(named, ...rest);
  }
}
