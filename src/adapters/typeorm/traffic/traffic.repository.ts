import {
  type EntityManager,
  type EntitySchema,
  type EntitySchemaColumnOptions,
  LessThan,
  MoreThanOrEqual,
} from 'typeorm';
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
import { asJson, change, column, columnName, select, tableOf } from '../database/sql.js';
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
    return this.findRows(requestCountTable, { day: MoreThanOrEqual(fromDay) }, { day: 'ASC', apiKeyId: 'ASC' });
  }

  hours(day: string): Promise<readonly HourCount[]> {
    return this.findRows(hourCountTable, { day }, { hour: 'ASC', apiKeyId: 'ASC' });
  }

  async failures(): Promise<readonly RequestFailure[]> {
    const { customerId } = this;
    const newest = { order: { at: 'DESC', id: 'DESC' }, take: MAX_LISTED_FAILURES } as const;
    const rows = await this.manager.find(requestFailureTable, { where: { customerId }, ...newest });
    return rows.map(({ id: _, ...failure }) => failure);
  }

  pictures(fromDay: string): Promise<readonly PictureCount[]> {
    return this.findRows(pictureCountTable, { day: MoreThanOrEqual(fromDay) }, { day: 'ASC', deliveryKeyId: 'ASC' });
  }

  transfers(fromDay: string): Promise<readonly TransferCount[]> {
    return this.findRows(transferCountTable, { day: MoreThanOrEqual(fromDay) }, { day: 'ASC', channel: 'ASC' });
  }

  storage(fromDay: string): Promise<readonly StorageCount[]> {
    return this.findRows(storageCountTable, { day: MoreThanOrEqual(fromDay) }, { day: 'ASC' });
  }
}

export class TypeormTrafficStore extends TypeormStore implements TrafficStore {
  add({ counts, hours, failures, pictures, transfers }: Tally): Promise<void> {
    return inTransaction(this.dataSource, async (manager) => {
      await addUp(manager, requestCountTable, OF_API_KEYS, counts);
      await addUp(manager, hourCountTable, OF_API_KEYS, hours);
      await addUp(manager, pictureCountTable, OF_CUSTOMERS, pictures);
      await addUp(manager, transferCountTable, OF_CUSTOMERS, transfers);
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

const OF_API_KEYS = 'api_keys k ON k.customer_id = more.customer_id AND k.id = more.api_key_id';
/** Keys of delivery may be deleted by now, and their counts are still reported. */
const OF_CUSTOMERS = 'customers c ON c.id = more.customer_id';

/**
 * Adds to the counts that are stored by the keys of the table, as far as their owners exist. All processes write rows in the same order, so that
 * two that count the same keys do not deadlock.
 */
async function addUp<Row>(
  manager: EntityManager,
  { options: { tableName, columns } }: EntitySchema<Row>,
  owners: string,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const [keys, counts] = [true, false].map((isKey) =>
    Object.entries<EntitySchemaColumnOptions | undefined>(columns).flatMap(([name, options]) =>
      (options?.primary === true) === isKey ? [columnName(name)] : [],
    ),
  ) as [string[], string[]];
  const places = keys.map((_, index) => index + 1).join();
  await select(
    manager,
    `INSERT INTO ${tableName} AS kept (${[...keys, ...counts].join()})
     SELECT ${[...keys.map((name) => `more.${name}`), ...counts.map((name) => `sum(more.${name})`)].join()}
     FROM json_populate_recordset(NULL::${tableName}, $1) more JOIN ${owners} GROUP BY ${places} ORDER BY ${places}
     ON CONFLICT (${keys.join()}) DO UPDATE SET ${counts.map((name) => `${name} = kept.${name} + excluded.${name}`).join()}`,
    [asJson(rows)],
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
