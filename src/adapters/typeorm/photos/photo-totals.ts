import type { DataSource, EntityManager } from 'typeorm';
import type { CustomerUsage, PhotoTotals } from '../../../core/customers/customer.js';
import type { QuotaUse } from '../../../core/customers/quota.js';
import { reservingStatuses } from '../../../core/imports/import-photo.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { prepared } from '../database/prepared.js';
import { change, select } from '../database/rows.js';
import { withoutLimits } from '../database/without-limits.js';

/** The sum of what triggers have recorded for all changes to the photos of customer `$1`. */
const stored = `
  SELECT coalesce(sum(photos), 0)::bigint AS photos, coalesce(sum(trashed_photos), 0)::bigint AS "trashedPhotos",
    coalesce(sum(storage_bytes), 0)::bigint AS "storageBytes", coalesce(sum(trashed_bytes), 0)::bigint AS "trashedBytes"
  FROM photo_totals WHERE customer_id = $1`;

const counted = `
  SELECT count(*) FILTER (WHERE NOT trashed) AS photos, count(*) FILTER (WHERE trashed) AS "trashedPhotos",
    coalesce(sum(size_bytes) FILTER (WHERE NOT trashed), 0)::bigint AS "storageBytes",
    coalesce(sum(size_bytes) FILTER (WHERE trashed), 0)::bigint AS "trashedBytes"
  FROM photos WHERE customer_id = $1`;

/** As literals, not as a parameter, so that the partial index for exactly these states is used. */
const reserving = reservingStatuses.map((status) => `'${status}'`).join(', ');

export async function readUsage(manager: EntityManager, id: Id): Promise<CustomerUsage> {
  const sql = `SELECT stored.*, (SELECT count(*) FROM tags WHERE customer_id = $1) AS tags,
      (SELECT count(*) FROM imports WHERE customer_id = $1 AND status = 'open') AS "openImports"
    FROM (${stored}) stored`;
  const [usage] = await select<CustomerUsage>(manager, prepared(sql), [id]);
  return requireFound(usage, 'customer');
}

export async function readQuotaUse(manager: EntityManager, id: Id): Promise<QuotaUse> {
  // One statement sees one snapshot: an item that is published meanwhile is counted once, as an item or as a photo.
  const sql = `SELECT stored.photos + stored."trashedPhotos" + items.count AS photos,
      stored."storageBytes" + stored."trashedBytes" + items.bytes AS "storageBytes"
    FROM (${stored}) stored, (
      SELECT count(*) AS count, coalesce(sum(size_bytes), 0)::bigint AS bytes
      FROM import_photos WHERE customer_id = $1 AND status IN (${reserving})
    ) items`;
  const [use] = await select<QuotaUse>(manager, prepared(sql), [id]);
  return requireFound(use, 'customer');
}

interface BothTotals {
  readonly stored: PhotoTotals;
  readonly counted: PhotoTotals;
}

export function readTotals(dataSource: DataSource, id: Id): Promise<BothTotals> {
  const sql = `SELECT row_to_json(stored) AS stored, row_to_json(counted) AS counted FROM (${stored}) stored, (${counted}) counted`;
  return withoutLimits(dataSource, async (ask) => requireFound((await ask<BothTotals>(sql, [id]))[0], 'customer'));
}

/** The customer must be locked: two concurrent recounts would both add the difference. Concurrent changes of photos do not interfere. */
export async function recountTotals(manager: EntityManager, id: Id): Promise<void> {
  const { stored, counted } = await readTotals(manager.dataSource, id);
  const missing = (name: keyof PhotoTotals) => counted[name] - stored[name];
  await change(
    manager,
    `INSERT INTO photo_totals (customer_id, photos, trashed_photos, storage_bytes, trashed_bytes)
     VALUES ($1, $2, $3, $4, $5)`,
    [id, missing('photos'), missing('trashedPhotos'), missing('storageBytes'), missing('trashedBytes')],
  );
}
