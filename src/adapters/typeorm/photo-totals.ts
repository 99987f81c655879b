import type { EntityManager } from 'typeorm';
import type { CustomerUsage, PhotoTotals } from '../../core/customers/customer.js';
import type { QuotaUse } from '../../core/customers/quota.js';
import { reservingStatuses } from '../../core/imports/import-photo.js';
import { found } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { prepared } from './prepared.js';
import { change, select } from './rows.js';

/** What triggers have written down of all changes to the photos of customer `$1`, in sum. */
const kept = `
  SELECT coalesce(sum(photos), 0)::bigint AS photos, coalesce(sum(trashed_photos), 0)::bigint AS "trashedPhotos",
    coalesce(sum(storage_bytes), 0)::bigint AS "storageBytes", coalesce(sum(trashed_bytes), 0)::bigint AS "trashedBytes"
  FROM photo_totals WHERE customer_id = $1`;

const counted = `
  SELECT count(*) FILTER (WHERE NOT trashed) AS photos, count(*) FILTER (WHERE trashed) AS "trashedPhotos",
    coalesce(sum(size_bytes) FILTER (WHERE NOT trashed), 0)::bigint AS "storageBytes",
    coalesce(sum(size_bytes) FILTER (WHERE trashed), 0)::bigint AS "trashedBytes"
  FROM photos WHERE customer_id = $1`;

/** As literals, not as a parameter, so that the partial index of just these states is used. */
const reserving = reservingStatuses.map((status) => `'${status}'`).join(', ');

export async function readUsage(manager: EntityManager, id: Id): Promise<CustomerUsage> {
  const sql = `SELECT kept.*, (SELECT count(*) FROM tags WHERE customer_id = $1) AS tags,
      (SELECT count(*) FROM imports WHERE customer_id = $1 AND status = 'open') AS "openImports"
    FROM (${kept}) kept`;
  const [usage] = await select<CustomerUsage>(manager, prepared(sql), [id]);
  return found(usage, 'customer');
}

export async function readQuotaUse(manager: EntityManager, id: Id): Promise<QuotaUse> {
  // One statement sees one moment: an item that is published meanwhile is counted once, as an item or as a photo.
  const sql = `SELECT kept.photos + kept."trashedPhotos" + items.count AS photos,
      kept."storageBytes" + kept."trashedBytes" + items.bytes AS "storageBytes"
    FROM (${kept}) kept, (
      SELECT count(*) AS count, coalesce(sum(size_bytes), 0)::bigint AS bytes
      FROM import_photos WHERE customer_id = $1 AND status IN (${reserving})
    ) items`;
  const [use] = await select<QuotaUse>(manager, prepared(sql), [id]);
  return found(use, 'customer');
}

export async function readTotals(
  manager: EntityManager,
  id: Id,
): Promise<{ readonly kept: PhotoTotals; readonly counted: PhotoTotals }> {
  const sql = `SELECT row_to_json(kept) AS kept, row_to_json(counted) AS counted FROM (${kept}) kept, (${counted}) counted`;
  const [totals] = await select<{ kept: PhotoTotals; counted: PhotoTotals }>(manager, sql, [id]);
  return found(totals, 'customer');
}

/** What others change meanwhile is in neither, and is written down by itself. */
export async function recountTotals(manager: EntityManager, id: Id): Promise<void> {
  await change(
    manager,
    `INSERT INTO photo_totals (customer_id, photos, trashed_photos, storage_bytes, trashed_bytes)
     SELECT $1, counted.photos - kept.photos, counted."trashedPhotos" - kept."trashedPhotos",
       counted."storageBytes" - kept."storageBytes", counted."trashedBytes" - kept."trashedBytes"
     FROM (${kept}) kept, (${counted}) counted`,
    [id],
  );
}
