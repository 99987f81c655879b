import type { EntityManager } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import type { UnpublishedTags } from '../../../core/tags/tag-repository.js';
import { change, select } from '../database/rows.js';

/** As in the index of these imports: with parameters it would not be used, so statements on them are by hand. */
const UNPUBLISHED = `status IN ('open', 'processing')`;
const OF_UNPUBLISHED = `import_id IN (SELECT id FROM imports WHERE customer_id = $1 AND ${UNPUBLISHED})`;

export class TypeormUnpublishedTags implements UnpublishedTags {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  async lockUnpublished(tagIds: readonly Id[]): Promise<void> {
    const imports = `SELECT FROM imports WHERE customer_id = $1 AND ${UNPUBLISHED} ORDER BY id FOR NO KEY UPDATE`;
    await select(this.manager, imports, [this.customerId]);
    const items = `SELECT FROM import_photos WHERE customer_id = $1 AND ${OF_UNPUBLISHED} AND tag_ids && $2::bigint[]
      ORDER BY id FOR NO KEY UPDATE`;
    await select(this.manager, items, [this.customerId, tagIds]);
  }

  async replaceTags(from: readonly Id[], into: Id): Promise<void> {
    for (const [table, which] of [
      ['imports', UNPUBLISHED],
      ['import_photos', OF_UNPUBLISHED],
    ]) {
      await change(
        this.manager,
        `UPDATE ${table} SET tag_ids = ARRAY(
           SELECT DISTINCT CASE WHEN id = ANY($2::bigint[]) THEN $3 ELSE id END AS kept FROM unnest(tag_ids) AS id ORDER BY kept
         )
         WHERE customer_id = $1 AND ${which} AND tag_ids && $2::bigint[]`,
        [this.customerId, from, into],
      );
    }
  }
}
