import type { EntityManager } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import { change, select } from '../database/rows.js';

/** As in the index of these imports. */
const UNPUBLISHED = `status IN ('open', 'processing')`;
const OF_UNPUBLISHED = `import_id IN (SELECT id FROM imports WHERE customer_id = $1 AND ${UNPUBLISHED})`;

/** Locks the imports that have not ended, and their items that have one of the tags. */
export async function lockUnpublished(manager: EntityManager, customerId: Id, tagIds: readonly Id[]): Promise<void> {
  const imports = `SELECT FROM imports WHERE customer_id = $1 AND ${UNPUBLISHED} ORDER BY id FOR NO KEY UPDATE`;
  await select(manager, imports, [customerId]);
  const items = `SELECT FROM import_photos WHERE customer_id = $1 AND ${OF_UNPUBLISHED} AND tag_ids && $2::bigint[]
    ORDER BY id FOR NO KEY UPDATE`;
  await select(manager, items, [customerId, tagIds]);
}

/** Replaces tags with one other in the imports that have not ended and in their items. */
export async function replaceUnpublishedTags(
  manager: EntityManager,
  customerId: Id,
  from: readonly Id[],
  into: Id,
): Promise<void> {
  for (const [table, which] of [
    ['imports', UNPUBLISHED],
    ['import_photos', OF_UNPUBLISHED],
  ]) {
    await change(
      manager,
      `UPDATE ${table} SET tag_ids = ARRAY(
         SELECT DISTINCT CASE WHEN id = ANY($2::bigint[]) THEN $3 ELSE id END AS kept FROM unnest(tag_ids) AS id ORDER BY kept
       )
       WHERE customer_id = $1 AND ${which} AND tag_ids && $2::bigint[]`,
      [customerId, from, into],
    );
  }
}
