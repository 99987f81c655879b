import type { EntityManager } from 'typeorm';
import type { CustomerUsage, PhotoTotals } from '../../../core/customers/customer.js';
import type { QuotaUse, UsageRepository } from '../../../core/customers/customer-repository.js';
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

export class TypeormUsageRepository implements UsageRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  async read(): Promise<CustomerUsage> {
    const sql = `SELECT stored.*, (SELECT count(*) FROM tags WHERE customer_id = $1) AS tags,
        (SELECT count(*) FROM imports WHERE customer_id = $1 AND status = 'open') AS "openImports",
        coalesce((SELECT bytes FROM rendition_totals WHERE customer_id = $1), 0) AS "renditionBytes"
      FROM (${stored}) stored`;
    const [usage] = await select<CustomerUsage>(this.manager, prepared(sql), [this.customerId]);
    return requireFound(usage, 'customer');
  }

  async quotaUse(): Promise<QuotaUse> {
    // One statement sees one snapshot: an item that is published meanwhile is counted once, as an item or as a photo.
    const sql = `SELECT stored.photos + stored."trashedPhotos" + items.count AS photos,
        stored."storageBytes" + stored."trashedBytes" + items.bytes AS "storageBytes"
      FROM (${stored}) stored, (
        SELECT count(*) AS count, coalesce(sum(size_bytes), 0)::bigint AS bytes
        FROM import_photos WHERE customer_id = $1 AND status IN (${reserving})
      ) items`;
    const [use] = await select<QuotaUse>(this.manager, prepared(sql), [this.customerId]);
    return requireFound(use, 'customer');
  }

  photoTotals(): Promise<BothTotals> {
    const sql = `SELECT row_to_json(stored) AS stored, row_to_json(counted) AS counted FROM (${stored}) stored, (${counted}) counted`;
    return withoutLimits(this.manager.dataSource, async (ask) =>
      requireFound((await ask<BothTotals>(sql, [this.customerId]))[0], 'customer'),
    );
  }

  /** Locked, because two concurrent recounts would both add the difference. Concurrent changes of photos do not interfere. */
  async recountPhotos(): Promise<void> {
    const { stored, counted } = await this.photoTotals();
    const missing = (name: keyof PhotoTotals) => counted[name] - stored[name];
    await change(
      this.manager,
      `INSERT INTO photo_totals (customer_id, photos, trashed_photos, storage_bytes, trashed_bytes)
       VALUES ($1, $2, $3, $4, $5)`,
      [this.customerId, missing('photos'), missing('trashedPhotos'), missing('storageBytes'), missing('trashedBytes')],
    );
  }
}

interface BothTotals {
  readonly stored: PhotoTotals;
  readonly counted: PhotoTotals;
}
