import type { Customer, CustomerUsage } from '../../core/customers/customer.js';
import type { CustomerStore, CustomerView, CustomerWork } from '../../core/customers/customer-store.js';
import type { Clock } from '../../core/shared/clock.js';
import { found } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import { MemoryImportPhotoRepository } from './memory-import-photo-repository.js';
import { MemoryImportRepository } from './memory-import-repository.js';
import { MemoryJobAdder } from './memory-job-queue.js';
import { MemoryPhotoRepository } from './memory-photo-repository.js';
import { MemoryTagRepository } from './memory-tag-repository.js';

/** One transaction at a time over everything, so every lock is held already. */
export class MemoryCustomerStore implements CustomerStore {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly clock: Clock,
  ) {}

  within<T>(customerId: Id, work: (work: CustomerWork) => Promise<T>): Promise<T> {
    return this.database.transaction(() => work(this.everythingOf(customerId)));
  }

  read<T>(customerId: Id, work: (view: CustomerView) => Promise<T>): Promise<T> {
    return this.database.transaction(() => work(this.everythingOf(customerId)));
  }

  private everythingOf(customerId: Id): CustomerWork {
    const customer = async () => found(this.database.customers.get(customerId), 'customer');
    return {
      customer,
      lockCustomer: customer,
      usage: () => this.usage(customerId),
      photos: new MemoryPhotoRepository(this.database, customerId),
      tags: new MemoryTagRepository(this.database, customerId),
      imports: new MemoryImportRepository(this.database, customerId),
      importPhotos: new MemoryImportPhotoRepository(this.database, customerId),
      jobs: new MemoryJobAdder(this.database, customerId, this.clock),
    };
  }

  private async usage(customerId: Id): Promise<CustomerUsage> {
    const photos = this.database.photos.where((photo) => photo.customerId === customerId);
    const trash = photos.filter((photo) => photo.trashedAt !== null);
    const bytes = (rows: typeof photos) => rows.reduce((sum, photo) => sum + photo.sizeBytes, 0);
    return {
      photos: photos.length - trash.length,
      trashedPhotos: trash.length,
      storageBytes: bytes(photos) - bytes(trash),
      trashedBytes: bytes(trash),
      tags: this.database.tags.where((tag) => tag.customerId === customerId).length,
      openImports: await new MemoryImportRepository(this.database, customerId).countOpen(),
    };
  }

  /** For arranging states that no use case brings about yet. */
  change(id: Id, values: Partial<Customer>): Promise<void> {
    return this.database.transaction(async () => {
      this.database.customers.set(id, { ...found(this.database.customers.get(id), 'customer'), ...values });
    });
  }
}
