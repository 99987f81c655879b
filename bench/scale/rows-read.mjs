// How much a page of GET /photos reads of a library: what Postgres says of each statement that the list runs.

/**
 * Runs `list` on a manager that asks EXPLAIN about every statement of ours first.
 * @param manager Of `withoutTransaction`.
 * @returns rows that came out of tables and indexes or were thrown away there, blocks of 8 KiB that were looked at in memory or
 * on disk, the plans, and what `list` answered.
 */
export async function measured(manager, list) {
  const plans = [];
  const run = async (statement, values) => {
    const text = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`;
    const { rows } = await manager.queryRunner.run({ text }, values);
    plans.push(rows[0]['QUERY PLAN'][0].Plan);
    return manager.queryRunner.run(statement, values);
  };
  const answer = await list({ queryRunner: Object.create(manager.queryRunner, { run: { value: run } }) });
  const sum = (of) => plans.reduce((total, plan) => total + of(plan), 0);
  return { rows: sum(rowsOf), blocks: sum(blocksOf), plans, answer };
}

const blocksOf = (plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

function rowsOf(plan) {
  const below = (plan.Plans ?? []).reduce((total, part) => total + rowsOf(part), 0);
  if (plan['Relation Name'] === undefined && plan['Node Type'] !== 'Bitmap Index Scan') return below;
  const thrown = ['Filter', 'Index Recheck'].map((by) => plan[`Rows Removed by ${by}`] ?? 0);
  const each = [plan['Actual Rows'], ...thrown].reduce((total, rows) => total + rows);
  return below + Math.round(each * plan['Actual Loops']);
}

/** Fills a library by the text of library.sql. All on one connection, for it keeps what it needs in temporary tables. */
export async function fillLibrary(query, librarySql, customerId, photos) {
  const settings = `set_config('library.customer', '${customerId}', false), set_config('library.photos', '${photos}', false)`;
  await query(`SELECT ${settings}; ${librarySql}`);
}

/** A case of cases.json as filters for this customer. */
export async function filtersOf(manager, customerId, { likeOne, hundred, ...given }) {
  const filters = { trashed: 'false', ...given };
  const times = Object.keys(given).filter((field) => /(After|Before)$/.test(field));
  for (const field of times) filters[field] = new Date(given[field]);
  const [first] = await manager.query('SELECT min(id)::integer AS tag FROM tags WHERE customer_id = $1', [customerId]);
  for (const field of ['tagIds', 'anyTagIds', 'excludeTagIds'].filter((name) => given[name] !== undefined)) {
    filters[field] = given[field].map((number) => first.tag + number);
  }
  if (given.similar !== undefined) filters.similar = { ...(await nearestOne(manager, customerId)), ...given.similar };
  if (likeOne !== undefined) filters[likeOne] = await ofOne(manager, customerId, likeOne);
  if (hundred !== undefined) filters[hundred] = await ofHundred(manager, customerId, hundred);
  return filters;
}

/** A photo from the middle of the library that another looks nearly like. */
async function nearestOne(manager, customerId) {
  const [photo] = await manager.query(
    `SELECT id::integer AS "photoId", phash FROM photos
     WHERE customer_id = $1 AND filename LIKE 'img_%0.jpg' AND NOT trashed AND id > (SELECT (min(id) + max(id)) / 2 FROM photos WHERE customer_id = $1)
     ORDER BY id LIMIT 1`,
    [customerId],
  );
  return photo;
}

/** From the middle of the library, with a name and an external id that no other has. */
async function ofOne(manager, customerId, field) {
  const [photo] = await manager.query(
    `SELECT filename_key AS "filenameKey", external_id AS "externalId", import_id::integer AS "importId"
     FROM photos WHERE customer_id = $1 AND NOT trashed AND filename_key LIKE 'img_%' AND external_id LIKE 'asset-%'
       AND id > (SELECT (min(id) + max(id)) / 2 FROM photos WHERE customer_id = $1)
     ORDER BY id LIMIT 1`,
    [customerId],
  );
  return field === 'words' ? [photo.filenameKey.slice(4, 11)] : photo[field];
}

async function ofHundred(manager, customerId, field) {
  const photos = await manager.query(
    'SELECT id::integer AS ids, sha256 FROM photos WHERE customer_id = $1 AND id % 97 = 0 ORDER BY id DESC LIMIT 100',
    [customerId],
  );
  return photos.map((photo) => photo[field]);
}
