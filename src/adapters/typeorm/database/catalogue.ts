/** Runs a statement, on whatever connection. */
export type Query = (sql: string, parameters?: unknown[]) => Promise<unknown[]>;

/** A table of the service, as the database itself describes it. */
export interface CatalogueTable {
  readonly name: string;
  /** Columns that are stored as given: without generated ones. */
  readonly columns: readonly string[];
  /** Rows belong to a customer. */
  readonly isTenants: boolean;
  /** Not truncated by a crash of the server. */
  readonly isPermanent: boolean;
}

const TABLES = `
  SELECT c.relname AS name, c.relpersistence = 'p' AS "isPermanent",
    array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS columns,
    bool_or(a.attname = 'customer_id') AS "isTenants",
    ARRAY(SELECT p.relname::text FROM pg_constraint k JOIN pg_class p ON p.oid = k.confrelid
          WHERE k.contype = 'f' AND k.conrelid = c.oid AND k.confrelid <> c.oid) AS parents
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  GROUP BY c.oid ORDER BY c.relname`;

/**
 * Every table of the schema, after those that it refers to. Read from the catalogue, so that code which must cover every table cannot miss
 * a new one.
 */
export async function tablesByReference(query: Query): Promise<readonly CatalogueTable[]> {
  const rows = (await query(TABLES)) as (CatalogueTable & { readonly parents: readonly string[] })[];
  const waiting = new Map(rows.map((row) => [row.name, row]));
  const sorted: CatalogueTable[] = [];
  while (waiting.size > 0) {
    const next = [...waiting.values()].filter(({ parents }) => !parents.some((parent) => waiting.has(parent)));
    if (next.length === 0) throw new Error(`These tables refer to each other: ${[...waiting.keys()].join(', ')}.`);
    for (const { parents: _, ...table } of next) {
      sorted.push(table);
      waiting.delete(table.name);
    }
  }
  return sorted;
}

/** Returns a name as SQL writes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The table of TypeORM that has the names of the migrations that were run, oldest first. No entity describes it, so it is read by hand. */
export const MIGRATIONS = 'migrations';

/** Runs on a connection of any kind, also past the pool. */
export async function migrationsRun(
  query: (sql: string) => Promise<readonly { readonly name: string }[]>,
): Promise<readonly string[]> {
  const rows = await query(`SELECT name FROM ${MIGRATIONS} ORDER BY id`);
  return rows.map(({ name }) => name);
}

/** None if the table is missing, as in an empty database; another program that uses TypeORM has such a table, too. */
export async function anyMigrationsRun(query: Query): Promise<readonly string[]> {
  const [found] = (await query('SELECT to_regclass($1) IS NOT NULL AS "hasTable"', [MIGRATIONS])) as {
    hasTable: boolean;
  }[];
  return found?.hasTable ? migrationsRun(async (sql) => (await query(sql)) as { name: string }[]) : [];
}
