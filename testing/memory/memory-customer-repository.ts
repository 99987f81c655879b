import type { Customer, CustomerUsage, PhotoTotals } from '../../src/core/customers/customer.js';
import type { CustomerRepository, QuotaUse, UsageRepository } from '../../src/core/customers/customer-repository.js';
import { reservingStatuses } from '../../src/core/imports/import-photo.js';
import { requireFound } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import type { LockedRows } from './memory-locked-rows.js';

export class MemoryCustomerRepository implements CustomerRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly locked: LockedRows,
  ) {}

  async read(): Promise<Customer> {
    return requireFound(this.database.customers.get(this.customerId), 'customer');
  }

  lock(): Promise<Customer> {
    this.locked.lock('customer', [this.customerId]);
    return this.read();
  }

  async update(customer: Customer): Promise<void> {
    this.locked.requireLocked('customer', this.customerId);
    this.database.customers.set(this.customerId, { ...customer, id: this.customerId });
  }
}

export class MemoryUsageRepository implements UsageRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {}

  async read(): Promise<CustomerUsage> {
    const photos = this.database.photos.where((photo) => photo.customerId === this.customerId);
    const trash = photos.filter((photo) => photo.trashedAt !== null);
    const bytes = (rows: typeof photos) => rows.reduce((sum, photo) => sum + photo.sizeBytes, 0);
    return {
      photos: photos.length - trash.length,
      trashedPhotos: trash.length,
      storageBytes: bytes(photos) - bytes(trash),
      trashedBytes: bytes(trash),
      tags: this.database.tags.where((tag) => tag.customerId === this.customerId).length,
      openImports: this.database.imports.where(
        (subject) => subject.customerId === this.customerId && subject.status === 'open',
      ).length,
      renditionBytes: this.database.renditionTotals.get(this.customerId)?.bytes ?? 0,
    };
  }

  async photoTotals(): Promise<{ stored: PhotoTotals; counted: PhotoTotals }> {
    const { photos, trashedPhotos, storageBytes, trashedBytes } = await this.read();
    const totals = { photos, trashedPhotos, storageBytes, trashedBytes };
    return { stored: totals, counted: totals };
  }

  async quotaUse(): Promise<QuotaUse> {
    const photos = this.database.photos.where((photo) => photo.customerId === this.customerId);
    const items = this.database.importPhotos.where(
      (item) => item.customerId === this.customerId && reservingStatuses.includes(item.status),
    );
    const rows = [...photos, ...items];
    return { photos: rows.length, storageBytes: rows.reduce((sum, row) => sum + (row.sizeBytes ?? 0), 0) };
  }

  /** Nothing is stored that could be wrong. */
  async recountPhotos(): Promise<void> {}
}
