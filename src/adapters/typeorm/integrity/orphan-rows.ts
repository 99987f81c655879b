import { blobPrefixes } from '../../../core/blobs/blob-key.js';
import type { OrphanReads, OrphanRow, OrphanRows } from '../../../core/integrity/findings.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';

export class TypeormOrphanRows extends TypeormRepository implements OrphanReads {
  /** Photos and items take their ids from one sequence, so one range of it covers all rows of both. */
  async list(after: Id | null, limit: number): Promise<OrphanRows> {
    const ids = await this.select<{ id: Id }>(
      `(SELECT id FROM photos WHERE customer_id = $1 AND id > $2 ORDER BY id LIMIT $3)
       UNION (SELECT id FROM import_photos WHERE customer_id = $1 AND id > $2 ORDER BY id LIMIT $3)
       ORDER BY id LIMIT $3`,
      after ?? 0,
      limit,
    );
    const last = ids.length < limit ? null : (ids.at(-1)?.id ?? null);
    const rows = await this.select<OrphanRow>(
      `SELECT 'photo' AS kind, p.id FROM photos p WHERE ${within('p', 'id')} AND import_id IS NOT NULL AND ${lacks('imports', 'p.import_id')}
       UNION ALL
       SELECT 'item', i.id FROM import_photos i WHERE ${within('i', 'id')} AND ${lacks('imports', 'i.import_id')}
       UNION ALL
       SELECT 'original', p.id FROM photos p WHERE ${within('p', 'id')} AND NOT starts_with(blob_key, $4)
       UNION ALL
       SELECT DISTINCT 'tag', l.photo_id FROM photo_tags l WHERE ${within('l', 'photo_id')} AND ${lacks('tags', 'l.tag_id')}
       UNION ALL
       SELECT 'residue', gone.id FROM (
         SELECT photo_id AS id FROM photo_tags l WHERE ${within('l', 'photo_id')} AND ${lacks('photos', 'l.photo_id')}
         UNION SELECT photo_id FROM photo_exif e WHERE ${within('e', 'photo_id')} AND ${lacks('photos', 'e.photo_id')}
         UNION SELECT photo_id FROM photo_hashes h WHERE ${within('h', 'photo_id')} AND ${lacks('photos', 'h.photo_id')}
       ) gone
       ORDER BY id, kind`,
      after ?? 0,
      last,
      `${blobPrefixes.originals}${this.customerId}/`,
    );
    return { last, rows };
  }
}

/** Rows of the customer in this range. */
function within(alias: string, id: string): string {
  return `${alias}.customer_id = $1 AND ${alias}.${id} > $2 AND ($3::bigint IS NULL OR ${alias}.${id} <= $3)`;
}

function lacks(table: string, id: string): string {
  return `NOT EXISTS (SELECT FROM ${table} parent WHERE parent.customer_id = $1 AND parent.id = ${id})`;
}
