/** The table of TypeORM that has the names of the migrations that were run, oldest first. No entity describes it, so it is read by hand. */
export const MIGRATIONS = 'migrations';

/** Runs on a connection of any kind: also before tables exist, and past the pool. */
export async function migrationsRun(
  query: (sql: string) => Promise<readonly { readonly name: string }[]>,
): Promise<readonly string[]> {
  const rows = await query(`SELECT name FROM ${MIGRATIONS} ORDER BY id`);
  return rows.map(({ name }) => name);
}
