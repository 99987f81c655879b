import type { EntityManager } from 'typeorm';
import type { Id } from '../../core/shared/ids.js';
import { change } from './rows.js';

/**
 * Changes how many photos outside the trash some tags have. The counts are held in ascending order of ids, as everybody does, so
 * that two transactions that count the same tags wait for each other and not in a circle.
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
