import type {
  PhotoPair,
  Similarity,
  SimilarityScan,
  SimilarPhotoRepository,
} from '../../../core/photos/similar/similar-photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';
import { column, insert, select, tableOf } from '../database/sql.js';
import { hashMasks, nearestOfQuarters } from './hash-search.js';

type SeparatedPhotos = PhotoPair & { readonly customerId: Id; readonly createdAt: Date };

export const separatedPhotosTable = tableOf<SeparatedPhotos>('separatedPhotos', 'separated_photos', {
  customerId: column.key,
  photoId: column.key,
  otherId: column.key,
  createdAt: column.instant,
});

export class TypeormSimilarPhotoRepository extends TypeormRepository implements SimilarPhotoRepository {
  async scan(after: Id | null, limit: number, maxDistance: number): Promise<SimilarityScan> {
    const values: unknown[] = [this.customerId, after ?? 0, limit];
    const similar = similarities(
      'SELECT * FROM photo_hashes WHERE customer_id = $1 AND photo_id > $2 ORDER BY photo_id LIMIT $3',
      maxDistance,
      (value) => `$${values.push(value)}`,
    );
    const [row] = await select<{ leads: Id[]; scanned: number; last: Id | null }>(
      this.manager,
      `WITH ${similar}, leads AS (SELECT photo_id FROM similarities GROUP BY photo_id HAVING min(similar_id) > photo_id)
       SELECT ARRAY(SELECT photo_id FROM leads ORDER BY photo_id) AS leads, count(*)::integer AS scanned, max(photo_id) AS last FROM hashes`,
      values,
    );
    const { leads = [], scanned = 0, last = null } = row ?? {};
    return { leads, next: scanned < limit ? null : last };
  }

  async similarTo(ids: readonly Id[], limit: number, maxDistance: number): Promise<readonly Similarity[]> {
    const values: unknown[] = [this.customerId, ids, limit];
    const hashes = 'SELECT * FROM photo_hashes WHERE customer_id = $1 AND photo_id = ANY($2::bigint[])';
    const similar = similarities(hashes, maxDistance, (value) => `$${values.push(value)}`);
    return select<Similarity>(
      this.manager,
      `WITH ${similar}
       SELECT photo_id AS "photoId", similar_id AS "similarId"
       FROM (SELECT *, row_number() OVER (PARTITION BY photo_id ORDER BY similar_id) AS position FROM similarities) numbered
       WHERE position <= $3 ORDER BY photo_id, similar_id`,
      values,
    );
  }

  async separate(pairs: readonly PhotoPair[], at: Date): Promise<readonly PhotoPair[]> {
    if (pairs.length === 0) return [];
    const rows = pairs.map((pair) => ({ ...pair, customerId: this.customerId, createdAt: at }));
    const stored = await insert(this.manager, separatedPhotosTable, rows, 'ON CONFLICT DO NOTHING');
    return stored.map(({ photoId, otherId }) => ({ photoId, otherId }));
  }

  async rejoin(pairs: readonly PhotoPair[]): Promise<void> {
    const sql = `DELETE FROM separated_photos s USING unnest($2::bigint[], $3::bigint[]) AS pair (photo_id, other_id)
      WHERE s.customer_id = $1 AND s.photo_id = pair.photo_id AND s.other_id = pair.other_id`;
    const ids = [pairs.map(({ photoId }) => photoId), pairs.map(({ otherId }) => otherId)];
    await this.change(sql, ...ids);
  }
}

/**
 * Common table expressions: `hashes`, and `similarities` of these with all photos of `$1`. As in `nearPhotos`, quarters are looked up with all
 * values that are near enough. The values are computed apart from the lookup: under a policy no index is used by an expression.
 */
function similarities(hashes: string, maxDistance: number, place: (value: unknown) => string): string {
  const most = `${place(maxDistance)}::integer`;
  const quarters = nearestOfQuarters(maxDistance).flatMap((nearest, quarter) => {
    return nearest < 0 ? [] : [{ quarter, masks: place(hashMasks(nearest)) }];
  });
  const values = quarters.map(
    ({ quarter, masks }) => `values_${quarter} AS MATERIALIZED (
      SELECT h.photo_id, h.bits, h.quarter_${quarter} # mask AS value FROM shown h, unnest(${masks}::integer[]) AS mask
    )`,
  );
  const near = quarters.map(
    ({ quarter }) => `SELECT v.photo_id, h.photo_id AS similar_id
      FROM values_${quarter} v JOIN photo_hashes h ON h.customer_id = $1 AND h.quarter_${quarter} = v.value
      WHERE bit_count((h.bits # v.bits)::bit(64)) <= ${most} AND h.photo_id <> v.photo_id`,
  );
  return `hashes AS MATERIALIZED (${hashes}),
    shown AS MATERIALIZED (
      SELECT h.* FROM hashes h JOIN photos p ON p.customer_id = $1 AND p.id = h.photo_id WHERE NOT p.trashed
    ),
    ${values.join(', ')},
    near AS (${near.join(' UNION ')}),
    similarities AS MATERIALIZED (
      SELECT n.photo_id, n.similar_id FROM near n
      JOIN photos p ON p.customer_id = $1 AND p.id = n.similar_id AND NOT p.trashed
      WHERE NOT EXISTS (
        SELECT FROM separated_photos s WHERE s.customer_id = $1
          AND s.photo_id = least(n.photo_id, n.similar_id) AND s.other_id = greatest(n.photo_id, n.similar_id)
      )
    )`;
}
