import type { EntityManager } from 'typeorm';
import type { CustomerUsage, PhotoTotals } from '../../../core/customers/customer.js';
import type { QuotaUse, UsageRepository } from '../../../core/customers/customer-repository.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { reserving } from '../blobs/blob-owners.repository.js';
import { TypeormRepository } from '../database/repository.js';
import { change, prepared } from '../database/sql.js';
import { withoutLimits } from '../database/transaction.js';

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

/** The sum of what triggers have recorded for all changes to the photos of customer `$1`. */
const stored = `
  SELECT coalesce(sum(photos), 0)::bigint AS photos, coalesce(sum(trashed_photos), 0)::bigint AS "trashedPhotos",
    coalesce(sum(storage_bytes), 0)::bigint AS "storageBytes", coalesce(sum(trashed_bytes), 0)::bigint AS "trashedBytes"
  FROM photo_totals WHERE customer_id = $1`;

const countedTotals = `
  SELECT count(*) FILTER (WHERE NOT trashed) AS photos, count(*) FILTER (WHERE trashed) AS "trashedPhotos",
    coalesce(sum(size_bytes) FILTER (WHERE NOT trashed), 0)::bigint AS "storageBytes",
    coalesce(sum(size_bytes) FILTER (WHERE trashed), 0)::bigint AS "trashedBytes"
  FROM photos WHERE customer_id = $1`;

const selectUsage = prepared(
  `SELECT stored.*, (SELECT count(*) FROM tags WHERE customer_id = $1) AS tags,
     (SELECT count(*) FROM imports WHERE customer_id = $1 AND status = 'open') AS "openImports",
     coalesce((SELECT bytes FROM rendition_totals WHERE customer_id = $1), 0) AS "renditionBytes"
   FROM (${stored}) stored`,
);

/** One statement sees one snapshot: an item that is published meanwhile is counted once, as an item or as a photo. */
const selectQuotaUse = prepared(
  `SELECT stored.photos + stored."trashedPhotos" + items.count AS photos,
     stored."storageBytes" + stored."trashedBytes" + items.bytes AS "storageBytes"
   FROM (${stored}) stored, (
     SELECT count(*) AS count, coalesce(sum(size_bytes), 0)::bigint AS bytes
     FROM import_photos WHERE customer_id = $1 AND status IN (${reserving})
   ) items`,
);

export class TypeormUsageRepository extends TypeormRepository implements UsageRepository {
  async read(): Promise<CustomerUsage> {
    return requireFound(await this.selectFirst<CustomerUsage>(selectUsage), 'customer');
  }

  async quotaUse(): Promise<QuotaUse> {
    return requireFound(await this.selectFirst<QuotaUse>(selectQuotaUse), 'customer');
  }

  photoTotals(): Promise<BothTotals> {
    const sql = `SELECT row_to_json(stored) AS stored, row_to_json(counted) AS counted FROM (${stored}) stored, (${countedTotals}) counted`;
    return withoutLimits(this.manager.dataSource, async (ask) =>
      requireFound((await ask<BothTotals>(sql, [this.customerId]))[0], 'customer'),
    );
  }

  /** Locked, because two concurrent recounts would both add the difference. Concurrent changes of photos do not interfere. */
  async recountPhotos(): Promise<void> {
    const { stored, counted: countedTotals } = await this.photoTotals();
    const missing = (name: keyof PhotoTotals) => countedTotals[name] - stored[name];
    await this.change(
      `INSERT INTO photo_totals (customer_id, photos, trashed_photos, storage_bytes, trashed_bytes)
       VALUES ($1, $2, $3, $4, $5)`,
      missing('photos'),
      missing('trashedPhotos'),
      missing('storageBytes'),
      missing('trashedBytes'),
    );
  }
}

interface BothTotals {
  readonly stored: PhotoTotals;
  readonly counted: PhotoTotals;
}
