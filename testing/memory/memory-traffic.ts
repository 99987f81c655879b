import type { Id } from '../../src/core/shared/ids.js';
import { compareText } from '../../src/core/shared/text.js';
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
} from '../../src/core/traffic/traffic.js';
import type { MemoryDatabase, MemoryTable } from './memory-database.js';
import { MemoryRepository } from './memory-repository.js';

export class MemoryTrafficReads extends MemoryRepository implements TrafficReads {
  async counts(fromDay: string): Promise<readonly RequestCount[]> {
    return this.database.requestCounts
      .rowsOf(this.customerId, ({ day }) => day >= fromDay)
      .sort((a, b) => compareText(a.day, b.day) || a.apiKeyId - b.apiKeyId);
  }

  async hours(of: string): Promise<readonly HourCount[]> {
    return this.database.requestHours
      .rowsOf(this.customerId, ({ day }) => day === of)
      .sort((a, b) => a.hour - b.hour || a.apiKeyId - b.apiKeyId);
  }

  async failures(): Promise<readonly RequestFailure[]> {
    return failuresOf(this.database, this.customerId).map(([, failure]) => failure);
  }

  async pictures(fromDay: string): Promise<readonly PictureCount[]> {
    return this.database.pictureCounts
      .rowsOf(this.customerId, ({ day }) => day >= fromDay)
      .sort((a, b) => compareText(a.day, b.day) || a.deliveryKeyId - b.deliveryKeyId);
  }

  async transfers(fromDay: string): Promise<readonly TransferCount[]> {
    return this.database.transferCounts
      .rowsOf(this.customerId, ({ day }) => day >= fromDay)
      .sort((a, b) => compareText(a.day, b.day) || compareText(a.channel, b.channel));
  }

  async storage(fromDay: string): Promise<readonly StorageCount[]> {
    return this.database.storageDays
      .rowsOf(this.customerId, ({ day }) => day >= fromDay)
      .sort((a, b) => compareText(a.day, b.day));
  }
}

export class MemoryTrafficStore implements TrafficStore {
  constructor(private readonly database: MemoryDatabase) {}

  add({ counts, hours, failures, pictures, transfers }: Tally): Promise<void> {
    return this.database.transaction(async () => {
      const { requestCounts, requestHours, pictureCounts, transferCounts, customers } = this.database;
      const hasKey = ({ customerId, apiKeyId }: RequestCount | HourCount | RequestFailure) =>
        this.database.keys.rowOf(customerId, apiKeyId) !== null;
      const hasCustomer = ({ customerId }: PictureCount | TransferCount) => customers.get(customerId) !== undefined;
      for (const count of counts.filter(hasKey))
        addTo(requestCounts, `${count.apiKeyId} ${count.day}`, count, ['requests', 'limited', 'failed']);
      for (const count of hours.filter(hasKey))
        addTo(requestHours, `${count.apiKeyId} ${count.day} ${count.hour}`, count, ['requests', 'limited', 'failed']);
      for (const count of pictures.filter(hasCustomer)) {
        const key = `${count.customerId} ${count.deliveryKeyId} ${count.day}`;
        addTo(pictureCounts, key, count, ['requests', 'bytes', 'made']);
      }
      for (const count of transfers.filter(hasCustomer)) {
        const key = `${count.customerId} ${count.channel} ${count.day}`;
        addTo(transferCounts, key, count, ['receivedBytes', 'sentBytes']);
      }
      for (const failure of failures.filter(hasKey)) {
        this.database.requestFailures.set(this.database.next('request failure'), failure);
      }
      for (const customerId of new Set(failures.map((failure) => failure.customerId))) {
        for (const [id] of failuresOf(this.database, customerId).slice(MAX_LISTED_FAILURES)) {
          this.database.requestFailures.delete(id);
        }
      }
    });
  }

  countStorage(day: string): Promise<void> {
    return this.database.transaction(async () => {
      const { customers, photos, renditionTotals, storageDays } = this.database;
      for (const { id: customerId } of customers.all()) {
        const own = photos.rowsOf(customerId);
        const storageBytes = own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        const renditionBytes = renditionTotals.get(customerId)?.bytes ?? 0;
        storageDays.set(`${customerId} ${day}`, { customerId, day, photos: own.length, storageBytes, renditionBytes });
      }
    });
  }

  sweep(beforeDay: string): Promise<void> {
    return this.database.transaction(async () => {
      this.database.storageDays.deleteWhere(({ day }) => day < beforeDay);
      this.database.transferCounts.deleteWhere(({ day }) => day < beforeDay);
      this.database.requestCounts.deleteWhere(({ day }) => day < beforeDay);
      this.database.pictureCounts.deleteWhere(({ day }) => day < beforeDay);
      this.database.requestFailures.deleteWhere(({ at }) => at.toISOString() < beforeDay);
    });
  }

  sweepHours(beforeDay: string): Promise<void> {
    return this.database.transaction(async () => {
      this.database.requestHours.deleteWhere(({ day }) => day < beforeDay);
    });
  }
}

/** Stores a count, with the sums of these fields and what is stored. */
function addTo<T extends object>(
  table: MemoryTable<T, string>,
  key: string,
  count: T,
  fields: readonly (keyof T)[],
): void {
  const before = table.get(key);
  const sums = fields.map((field) => [field, Number(before?.[field] ?? 0) + Number(count[field])]);
  table.set(key, { ...count, ...Object.fromEntries(sums) });
}

/** Newest first. */
function failuresOf(database: MemoryDatabase, customerId: Id): [Id, RequestFailure][] {
  return database.requestFailures
    .entries()
    .filter(([, failure]) => failure.customerId === customerId)
    .sort(([a, { at: x }], [b, { at: y }]) => y.getTime() - x.getTime() || b - a);
}
