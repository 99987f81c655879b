import { type EntityManager, LessThan, MoreThanOrEqual } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import {
  type HourCount,
  MAX_LISTED_FAILURES,
  type PictureCount,
  type RequestCount,
  type RequestFailure,
  type StorageCount,
  type Tally,
  type TrafficReads,
  type TrafficStore,
  type TransferCount,
} from '../../../core/traffic/traffic.js';
import { TypeormRepository, TypeormStore } from '../database/repository.js';
import { asJson, change, column, select, tableOf } from '../database/sql.js';
import { inTransaction } from '../database/transaction.js';

const day = { type: 'date', primary: true } as const;

const requestCountTable = tableOf<RequestCount>('requestCount', 'request_counts', {
  customerId: column.key,
  apiKeyId: column.key,
  day,
  requests: column.whole,
  limited: column.whole,
  failed: column.whole,
});

const hourCountTable = tableOf<HourCount>('hourCount', 'request_hours', {
  customerId: column.key,
  apiKeyId: column.key,
  day,
  hour: { ...column.whole, primary: true },
  requests: column.whole,
  limited: column.whole,
  failed: column.whole,
});

const pictureCountTable = tableOf<PictureCount>('pictureCount', 'picture_counts', {
  customerId: column.key,
  deliveryKeyId: column.key,
  day,
  requests: column.bigWhole,
  bytes: column.bigWhole,
  made: column.bigWhole,
});

const transferCountTable = tableOf<TransferCount>('transferCount', 'transfer_counts', {
  customerId: column.key,
  day,
  channel: { ...column.text, primary: true },
  receivedBytes: column.bigWhole,
  sentBytes: column.bigWhole,
});

const storageCountTable = tableOf<StorageCount>('storageCount', 'storage_days', {
  customerId: column.key,
  day,
  photos: column.bigWhole,
  storageBytes: column.bigWhole,
  renditionBytes: column.bigWhole,
});

/** The table of failures. Failures at the same moment are ordered by their number. */
const requestFailureTable = tableOf<RequestFailure & { id: Id }>('requestFailure', 'request_failures', {
  customerId: column.key,
  id: column.generatedKey,
  apiKeyId: column.bigWhole,
  requestId: column.text,
  at: column.instant,
  method: column.text,
  route: column.optionalText,
  status: column.whole,
  code: column.text,
});

export const trafficTables = [
  requestCountTable,
  hourCountTable,
  requestFailureTable,
  pictureCountTable,
  transferCountTable,
  storageCountTable,
];

export class TypeormTrafficReads extends TypeormRepository implements TrafficReads {
  counts(fromDay: string): Promise<readonly RequestCount[]> {
    return this.manager.find(requestCountTable, { where: this.from(fromDay), order: { day: 'ASC', apiKeyId: 'ASC' } });
  }

  hours(day: string): Promise<readonly HourCount[]> {
    const { customerId } = this;
    return this.manager.find(hourCountTable, { where: { customerId, day }, order: { hour: 'ASC', apiKeyId: 'ASC' } });
  }

  async failures(): Promise<readonly RequestFailure[]> {
    const { customerId } = this;
    const newest = { order: { at: 'DESC', id: 'DESC' }, take: MAX_LISTED_FAILURES } as const;
    const rows = await this.manager.find(requestFailureTable, { where: { customerId }, ...newest });
    return rows.map(({ id: _, ...failure }) => failure);
  }

  pictures(fromDay: string): Promise<readonly PictureCount[]> {
    const order = { day: 'ASC', deliveryKeyId: 'ASC' } as const;
    return this.manager.find(pictureCountTable, { where: this.from(fromDay), order });
  }

  transfers(fromDay: string): Promise<readonly TransferCount[]> {
    const order = { day: 'ASC', channel: 'ASC' } as const;
    return this.manager.find(transferCountTable, { where: this.from(fromDay), order });
  }

  storage(fromDay: string): Promise<readonly StorageCount[]> {
    return this.manager.find(storageCountTable, { where: this.from(fromDay), order: { day: 'ASC' } });
  }

  private from(day: string) {
    return { customerId: this.customerId, day: MoreThanOrEqual(day) };
  }
}

export class TypeormTrafficStore extends TypeormStore implements TrafficStore {
  add({ counts, hours, failures, pictures, transfers }: Tally): Promise<void> {
    return inTransaction(this.dataSource, async (manager) => {
      if (counts.length > 0) await addCounts(manager, counts);
      if (hours.length > 0) await addHours(manager, hours);
      if (pictures.length > 0) await addPictures(manager, pictures);
      if (transfers.length > 0) await addTransfers(manager, transfers);
      if (failures.length > 0) await addFailures(manager, failures);
    });
  }

  async countStorage(day: string): Promise<void> {
    await this.select(COUNT_STORAGE, day);
  }

  sweep(beforeDay: string): Promise<void> {
    return inTransaction(this.dataSource, async (manager) => {
      for (const table of [requestCountTable, pictureCountTable, transferCountTable, storageCountTable]) {
        await manager.delete<{ day: string }>(table, { day: LessThan(beforeDay) });
      }
      await manager.delete(requestFailureTable, { at: LessThan(new Date(beforeDay)) });
    });
  }

  async sweepHours(beforeDay: string): Promise<void> {
    await this.query((manager) => manager.delete(hourCountTable, { day: LessThan(beforeDay) }));
  }
}

/** Customers that are being removed meanwhile wait until it has ended: no row can refer to one that is gone. */
const COUNT_STORAGE = `
  INSERT INTO storage_days (customer_id, day, photos, storage_bytes, rendition_bytes)
  SELECT c.id, $1::date, coalesce(t.photos, 0), coalesce(t.bytes, 0), coalesce(r.bytes, 0)
  FROM customers c
  LEFT JOIN (
    SELECT customer_id, sum(coalesce(photos, 0) + coalesce(trashed_photos, 0)) AS photos,
      sum(coalesce(storage_bytes, 0) + coalesce(trashed_bytes, 0)) AS bytes
    FROM photo_totals GROUP BY customer_id
  ) t ON t.customer_id = c.id
  LEFT JOIN rendition_totals r ON r.customer_id = c.id
  ORDER BY c.id FOR KEY SHARE OF c
  ON CONFLICT (customer_id, day) DO UPDATE SET
    photos = excluded.photos, storage_bytes = excluded.storage_bytes, rendition_bytes = excluded.rendition_bytes`;

/** All processes write rows in the same order, so that two that count the same keys do not deadlock. */
async function addCounts(manager: EntityManager, counts: readonly RequestCount[]): Promise<void> {
  await select(
    manager,
    `INSERT INTO request_counts AS kept (customer_id, api_key_id, day, requests, limited, failed)
     SELECT k.customer_id, k.id, more.day, sum(more.requests), sum(more.limited), sum(more.failed)
     FROM json_populate_recordset(NULL::request_counts, $1) more
     JOIN api_keys k ON k.customer_id = more.customer_id AND k.id = more.api_key_id
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (customer_id, api_key_id, day) DO UPDATE SET
       requests = kept.requests + excluded.requests,
       limited = kept.limited + excluded.limited,
       failed = kept.failed + excluded.failed`,
    [asJson(counts)],
  );
}

async function addHours(manager: EntityManager, counts: readonly HourCount[]): Promise<void> {
  await select(
    manager,
    `INSERT INTO request_hours AS kept (customer_id, api_key_id, day, hour, requests, limited, failed)
     SELECT k.customer_id, k.id, more.day, more.hour, sum(more.requests), sum(more.limited), sum(more.failed)
     FROM json_populate_recordset(NULL::request_hours, $1) more
     JOIN api_keys k ON k.customer_id = more.customer_id AND k.id = more.api_key_id
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
     ON CONFLICT (customer_id, api_key_id, day, hour) DO UPDATE SET
       requests = kept.requests + excluded.requests,
       limited = kept.limited + excluded.limited,
       failed = kept.failed + excluded.failed`,
    [asJson(counts)],
  );
}

/** In the same order, too. Their keys may be deleted by now, and their counts are still reported. */
async function addPictures(manager: EntityManager, counts: readonly PictureCount[]): Promise<void> {
  await select(
    manager,
    `INSERT INTO picture_counts AS kept (customer_id, delivery_key_id, day, requests, bytes, made)
     SELECT c.id, more.delivery_key_id, more.day, sum(more.requests), sum(more.bytes), sum(more.made)
     FROM json_populate_recordset(NULL::picture_counts, $1) more JOIN customers c ON c.id = more.customer_id
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (customer_id, delivery_key_id, day) DO UPDATE SET
       requests = kept.requests + excluded.requests,
       bytes = kept.bytes + excluded.bytes,
       made = kept.made + excluded.made`,
    [asJson(counts)],
  );
}

/** In the same order, too. */
async function addTransfers(manager: EntityManager, counts: readonly TransferCount[]): Promise<void> {
  await select(
    manager,
    `INSERT INTO transfer_counts AS kept (customer_id, day, channel, received_bytes, sent_bytes)
     SELECT c.id, more.day, more.channel, sum(more.received_bytes), sum(more.sent_bytes)
     FROM json_populate_recordset(NULL::transfer_counts, $1) more JOIN customers c ON c.id = more.customer_id
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (customer_id, day, channel) DO UPDATE SET
       received_bytes = kept.received_bytes + excluded.received_bytes,
       sent_bytes = kept.sent_bytes + excluded.sent_bytes`,
    [asJson(counts)],
  );
}

async function addFailures(manager: EntityManager, failures: readonly RequestFailure[]): Promise<void> {
  await select(
    manager,
    `INSERT INTO request_failures (customer_id, api_key_id, request_id, at, method, route, status, code)
     SELECT k.customer_id, k.id, f.request_id, f.at, f.method, f.route, f.status, f.code
     FROM json_populate_recordset(NULL::request_failures, $1) f
     JOIN api_keys k ON k.customer_id = f.customer_id AND k.id = f.api_key_id`,
    [asJson(failures)],
  );
  // Rows that another process is removing are skipped.
  await change(
    manager,
    `DELETE FROM request_failures WHERE (customer_id, id) IN (
       SELECT f.customer_id, f.id FROM unnest($1::bigint[]) AS owner (customer_id)
       CROSS JOIN LATERAL (
         SELECT customer_id, id FROM request_failures WHERE customer_id = owner.customer_id
         ORDER BY at DESC, id DESC OFFSET ${MAX_LISTED_FAILURES} FOR UPDATE SKIP LOCKED
       ) f
     )`,
    [[...new Set(failures.map(({ customerId }) => customerId))]],
  );
}
