import type { EntityManager } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import type { TagCount } from '../../../core/tags/tag-repository.js';
import { change, select } from '../database/rows.js';

/**
 * Changes the number of photos outside the trash of some tags. The counts are locked in ascending order of ids, as everywhere, so that two
 * transactions that count the same tags do not deadlock.
 */
export async function shiftPhotoCounts(
  manager: EntityManager,
  customerId: Id,
  shifts: readonly { readonly tagIds: readonly Id[]; readonly by: number }[],
): Promise<void> {
  const ids = shifts.flatMap(({ tagIds }) => tagIds);
  if (ids.length === 0) return;
  await change(
    manager,
    `UPDATE tag_counts n SET photos = n.photos + held.shift
     FROM (
       SELECT c.tag_id, given.shift
       FROM tag_counts c JOIN unnest($2::bigint[], $3::integer[]) AS given (tag_id, shift) USING (tag_id)
       WHERE c.customer_id = $1 ORDER BY c.tag_id FOR NO KEY UPDATE OF c
     ) held
     WHERE n.customer_id = $1 AND n.tag_id = held.tag_id`,
    [customerId, ids, shifts.flatMap(({ tagIds, by }) => tagIds.map(() => by))],
  );
}

/** Of photos outside the trash; `t` is the tag. From one index only, so that it takes a second for millions. */
const counted = 'SELECT count(*) FROM photo_tags l WHERE l.customer_id = $1 AND l.tag_id = t.id AND NOT l.trashed';

export function countsOf(
  manager: EntityManager,
  customerId: Id,
  after: Id | null,
  limit: number,
): Promise<readonly TagCount[]> {
  return select<TagCount>(
    manager,
    `SELECT t.id, n.photos AS stored, (${counted}) AS counted
     FROM tags t LEFT JOIN tag_counts n ON n.customer_id = t.customer_id AND n.tag_id = t.id
     WHERE t.customer_id = $1 AND t.id > $2 ORDER BY t.id LIMIT $3`,
    [customerId, after ?? 0, limit],
  );
}

export async function recountPhotos(manager: EntityManager, customerId: Id, tagId: Id): Promise<void> {
  const held = `INSERT INTO tag_counts AS n (customer_id, tag_id) SELECT $1, id FROM tags WHERE customer_id = $1 AND id = $2
     ON CONFLICT (customer_id, tag_id) DO UPDATE SET photos = n.photos`;
  await manager.query(held, [customerId, tagId]);
  // In a separate statement: the one that waited does not see what it waited for.
  await change(
    manager,
    `UPDATE tag_counts n SET photos = (${counted}) FROM tags t
     WHERE t.customer_id = $1 AND t.id = $2 AND n.customer_id = $1 AND n.tag_id = t.id`,
    [customerId, tagId],
  );
}
