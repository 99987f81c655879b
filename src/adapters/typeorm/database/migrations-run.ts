import type { Query } from './catalogue.js';

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
