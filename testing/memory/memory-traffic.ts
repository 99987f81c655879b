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
import { copyOf, type MemoryDatabase } from './memory-database.js';

export class MemoryTrafficReads implements TrafficReads {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {}

  async counts(fromDay: string): Promise<readonly RequestCount[]> {
    return this.database.requestCounts
      .where(({ customerId, day }) => customerId === this.customerId && day >= fromDay)
      .sort((a, b) => compareText(a.day, b.day) || a.apiKeyId - b.apiKeyId)
      .map(copyOf);
  }

  async hours(of: string): Promise<readonly HourCount[]> {
    return this.database.requestHours
      .where(({ customerId, day }) => customerId === this.customerId && day === of)
      .sort((a, b) => a.hour - b.hour || a.apiKeyId - b.apiKeyId)
      .map(copyOf);
  }

  async failures(): Promise<readonly RequestFailure[]> {
    return failuresOf(this.database, this.customerId).map(([, failure]) => copyOf(failure));
  }

  async pictures(fromDay: string): Promise<readonly PictureCount[]> {
    return this.database.pictureCounts
      .where(({ customerId, day }) => customerId === this.customerId && day >= fromDay)
      .sort((a, b) => compareText(a.day, b.day) || a.deliveryKeyId - b.deliveryKeyId)
      .map(copyOf);
  }

  async transfers(fromDay: string): Promise<readonly TransferCount[]> {
    return this.database.transferCounts
      .where(({ customerId, day }) => customerId === this.customerId && day >= fromDay)
      .sort((a, b) => compareText(a.day, b.day) || compareText(a.channel, b.channel))
      .map(copyOf);
  }

  async storage(fromDay: string): Promise<readonly StorageCount[]> {
    return this.database.storageDays
      .where(({ customerId, day }) => customerId === this.customerId && day >= fromDay)
      .sort((a, b) => compareText(a.day, b.day))
      .map(copyOf);
  }
}

export class MemoryTrafficStore implements TrafficStore {
  constructor(private readonly database: MemoryDatabase) {}

  add({ counts, hours, failures, pictures, transfers }: Tally): Promise<void> {
    return this.database.transaction(async () => {
      for (const count of counts.filter((one) => this.hasKey(one))) this.addCount(count);
      for (const count of hours.filter((one) => this.hasKey(one))) this.addHour(count);
      for (const count of pictures.filter(({ customerId }) => this.database.customers.get(customerId)))
        this.addPicture(count);
      for (const count of transfers.filter(({ customerId }) => this.database.customers.get(customerId)))
        this.addTransfer(count);
      for (const failure of failures.filter((one) => this.hasKey(one))) {
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
        const own = photos.where((photo) => photo.customerId === customerId);
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
      for (const [id, { day }] of this.database.requestCounts.entries()) {
        if (day < beforeDay) this.database.requestCounts.delete(id);
      }
      for (const [id, { day }] of this.database.pictureCounts.entries()) {
        if (day < beforeDay) this.database.pictureCounts.delete(id);
      }
      for (const [id, { at }] of this.database.requestFailures.entries()) {
        if (at.toISOString() < beforeDay) this.database.requestFailures.delete(id);
      }
    });
  }

  sweepHours(beforeDay: string): Promise<void> {
    return this.database.transaction(async () => {
      this.database.requestHours.deleteWhere(({ day }) => day < beforeDay);
    });
  }

  private addCount(count: RequestCount): void {
    const key = `${count.apiKeyId} ${count.day}`;
    const before = this.database.requestCounts.get(key) ?? { requests: 0, limited: 0, failed: 0 };
    this.database.requestCounts.set(key, {
      ...count,
      requests: before.requests + count.requests,
      limited: before.limited + count.limited,
      failed: before.failed + count.failed,
    });
  }

  private addHour(count: HourCount): void {
    const key = `${count.apiKeyId} ${count.day} ${count.hour}`;
    const before = this.database.requestHours.get(key) ?? { requests: 0, limited: 0, failed: 0 };
    this.database.requestHours.set(key, {
      ...count,
      requests: before.requests + count.requests,
      limited: before.limited + count.limited,
      failed: before.failed + count.failed,
    });
  }

  private addPicture(count: PictureCount): void {
    const key = `${count.customerId} ${count.deliveryKeyId} ${count.day}`;
    const before = this.database.pictureCounts.get(key) ?? { requests: 0, bytes: 0, made: 0 };
    this.database.pictureCounts.set(key, {
      ...count,
      requests: before.requests + count.requests,
      bytes: before.bytes + count.bytes,
      made: before.made + count.made,
    });
  }

  private addTransfer(count: TransferCount): void {
    const key = `${count.customerId} ${count.channel} ${count.day}`;
    const before = this.database.transferCounts.get(key) ?? { receivedBytes: 0, sentBytes: 0 };
    this.database.transferCounts.set(key, {
      ...count,
      receivedBytes: before.receivedBytes + count.receivedBytes,
      sentBytes: before.sentBytes + count.sentBytes,
    });
  }

  private hasKey({ customerId, apiKeyId }: Pick<RequestCount, 'customerId' | 'apiKeyId'>): boolean {
    return this.database.keys.get(apiKeyId)?.customerId === customerId;
  }
}

/** Newest first. */
function failuresOf(database: MemoryDatabase, customerId: Id): [Id, RequestFailure][] {
  return database.requestFailures
    .entries()
    .filter(([, failure]) => failure.customerId === customerId)
    .sort(([a, { at: x }], [b, { at: y }]) => y.getTime() - x.getTime() || b - a);
}
