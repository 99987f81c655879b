// How much a page of GET /photos reads: what Postgres says of each statement that the list runs.

/**
 * Runs `list` on a manager that asks EXPLAIN about every statement first.
 * @returns rows that scans met, blocks that were looked at in memory or on disk, the plans, and what `list` answered.
 */
export async function measured(manager, list) {
  const plans = [];
  const watching = {
    async query(sql, parameters) {
      const [answer] = await manager.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, parameters);
      plans.push(answer['QUERY PLAN'][0].Plan);
      return manager.query(sql, parameters);
    },
  };
  const answer = await list(watching);
  const sum = (of) => plans.reduce((total, plan) => total + of(plan), 0);
  return { rows: sum(rowsOf), blocks: sum(blocksOf), plans, answer };
}

const blocksOf = (plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

/** Rows that came out of tables and indexes, and those that a filter then threw away. */
function rowsOf(plan) {
  const below = (plan.Plans ?? []).reduce((total, part) => total + rowsOf(part), 0);
  if (!plan['Relation Name'] && plan['Node Type'] !== 'Bitmap Index Scan') return below;
  const thrown = ['Filter', 'Index Recheck', 'Join Filter'].map((by) => plan[`Rows Removed by ${by}`] ?? 0);
  return below + [plan['Actual Rows'], ...thrown].reduce((total, rows) => total + rows * plan['Actual Loops'], 0);
}

/** A case of cases.json as filters of this customer. */
export async function filtersOf(manager, customerId, { photoNumbers, hashNumbers, importNumber, ...given }) {
  const first = async (table) =>
    (await manager.query(`SELECT min(id)::integer AS id FROM ${table} WHERE customer_id = $1`, [customerId]))[0].id;
  const filters = { trashed: 'false', ...given };
  for (const field of ['tagIds', 'anyTagIds', 'excludeTagIds'].filter((name) => given[name])) {
    const firstTag = await first('tags');
    filters[field] = given[field].map((number) => firstTag + number);
  }
  for (const field of Object.keys(given).filter((name) => /After$|Before$/.test(name)))
    filters[field] = new Date(given[field]);
  if (importNumber !== undefined) filters.importId = (await first('imports')) + importNumber;
  const numbered = photoNumbers ?? hashNumbers;
  if (numbered === undefined) return filters;
  const chosen = `SELECT id::integer AS id, sha256 FROM photos WHERE customer_id = $1 AND id % 997 = 0 ORDER BY id LIMIT $2`;
  const rows = await manager.query(chosen, [customerId, numbered[1]]);
  return photoNumbers
    ? { ...filters, ids: rows.map(({ id }) => id) }
    : { ...filters, sha256: rows.map(({ sha256 }) => sha256) };
}

/** Fills an empty library by library.sql: without the indexes, which are made afterwards. */
export async function fill(manager, sql, customerId, photos) {
  await manager.query(
    `SELECT set_config('library.customer', '${customerId}', false), set_config('library.photos', '${photos}', false)`,
  );
  await manager.query(sql);
}
