import type { Customer, CustomerUsage, PhotoTotals } from '../../src/core/customers/customer.js';
import type { CustomerReader, CustomerStore, CustomerTransaction } from '../../src/core/customers/customer-store.js';
import type { QuotaUse } from '../../src/core/customers/quota.js';
import { reservingStatuses } from '../../src/core/imports/import-photo.js';
import type { Clock } from '../../src/core/shared/clock.js';
import { DomainError, requireFound } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { MemoryAuditTrail } from './memory-audit.js';
import { MemoryBlobOwnership } from './memory-blob-owners.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { MemoryResponseStore } from './memory-idempotency-store.js';
import { MemoryImportPhotoRepository } from './memory-import-photo-repository.js';
import { MemoryImportRepository } from './memory-import-repository.js';
import { MemoryJobAdder } from './memory-job-queue.js';
import { LockedRows } from './memory-locked-rows.js';
import { findOrphanRows } from './memory-orphan-rows.js';
import { MemoryPhotoRepository } from './memory-photo-repository.js';
import { MemoryTagRepository } from './memory-tag-repository.js';
import { MemoryTrafficReads } from './memory-traffic.js';
import { MemoryUserRepository } from './memory-user-repository.js';
import {
  MemoryDeliveryRepository,
  MemoryOutbox,
  MemoryWebhookEndpointRepository,
} from './memory-webhook-repository.js';

/** One transaction at a time over everything, so nobody waits for a single row. */
export class MemoryCustomerStore implements CustomerStore {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly clock: Clock,
  ) {}

  transaction<T>(customerId: Id, work: (transaction: CustomerTransaction) => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      let ended = false;
      let failure: unknown;
      const whileOpen: Pass = async (call) => {
        if (ended) throw new Error('This transaction has ended.');
        try {
          return await call();
        } catch (error) {
          if (!(error instanceof DomainError)) failure ??= error;
          throw error;
        }
      };
      try {
        const result = await work(this.everythingOf(customerId, whileOpen));
        // A database, too, undoes everything after a write that broke its rules, although the work went on regardless.
        if (failure !== undefined) throw failure;
        return result;
      } finally {
        // A branch of `work` that runs on after another has failed must not write outside of the transaction.
        ended = true;
      }
    });
  }

  /** Each read waits for the transaction that runs, so it sees what is committed and nothing else. */
  async query<T>(customerId: Id, work: (reader: CustomerReader) => Promise<T>): Promise<T> {
    return work(this.everythingOf(customerId, (call) => this.database.transaction(call)));
  }

  private everythingOf(customerId: Id, pass: Pass): CustomerTransaction {
    const locked = new LockedRows();
    const customer = () => pass(async () => copyOf(requireFound(this.database.customers.get(customerId), 'customer')));
    return {
      customer,
      lockCustomer: () => {
        locked.lock('customer', [customerId]);
        return customer();
      },
      updateCustomer: (changed) =>
        pass(async () => {
          locked.requireLocked('customer', customerId);
          this.database.customers.set(customerId, { ...changed, id: customerId });
        }),
      usage: () => pass(() => this.usage(customerId)),
      photoTotals: () => pass(() => this.photoTotals(customerId)),
      // Nothing is kept that could be wrong.
      recountPhotos: () => pass(async () => undefined),
      quotaUse: () => pass(() => this.quotaUse(customerId)),
      orphanRows: (after, limit) => pass(async () => findOrphanRows(this.database, customerId, after, limit)),
      photos: passing(new MemoryPhotoRepository(this.database, customerId, locked), pass),
      tags: passing(new MemoryTagRepository(this.database, customerId, locked), pass),
      imports: passing(new MemoryImportRepository(this.database, customerId, locked), pass),
      importPhotos: passing(new MemoryImportPhotoRepository(this.database, customerId, locked), pass),
      blobOwners: passing(new MemoryBlobOwnership(this.database, customerId, locked), pass),
      webhookEndpoints: passing(new MemoryWebhookEndpointRepository(this.database, customerId, locked), pass),
      deliveries: passing(new MemoryDeliveryRepository(this.database, customerId, this.clock), pass),
      users: passing(new MemoryUserRepository(this.database, customerId, locked), pass),
      audit: passing(new MemoryAuditTrail(this.database, customerId), pass),
      traffic: passing(new MemoryTrafficReads(this.database, customerId), pass),
      outbox: passing(new MemoryOutbox(this.database, customerId), pass),
      jobs: passing(new MemoryJobAdder(this.database, customerId, this.clock), pass),
      responses: passing(new MemoryResponseStore(this.database, customerId), pass),
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
      openImports: this.database.imports.where(
        (subject) => subject.customerId === customerId && subject.status === 'open',
      ).length,
    };
  }

  private async photoTotals(customerId: Id): Promise<{ stored: PhotoTotals; counted: PhotoTotals }> {
    const { tags: _, openImports: __, ...totals } = await this.usage(customerId);
    return { stored: totals, counted: totals };
  }

  private async quotaUse(customerId: Id): Promise<QuotaUse> {
    const photos = this.database.photos.where((photo) => photo.customerId === customerId);
    const items = this.database.importPhotos.where(
      (item) => item.customerId === customerId && reservingStatuses.includes(item.status),
    );
    const rows = [...photos, ...items];
    return { photos: rows.length, storageBytes: rows.reduce((sum, row) => sum + (row.sizeBytes ?? 0), 0) };
  }

  /** For arranging states that no use case brings about yet. */
  change(id: Id, values: Partial<Customer>): Promise<void> {
    return this.database.transaction(async () => {
      this.database.customers.set(id, { ...requireFound(this.database.customers.get(id), 'customer'), ...values });
    });
  }
}

/** What every call goes through on its way to the rows. */
type Pass = <T>(call: () => Promise<T>) => Promise<T>;

/** The repository, every method of it through `pass`. Answers are copies. */
function passing<T extends object>(repository: T, pass: Pass): T {
  return new Proxy(repository, {
    get(target, name) {
      const value = Reflect.get(target, name);
      return typeof value === 'function'
        ? (...given: unknown[]) => pass(async () => copyOf(await value.apply(target, given)))
        : value;
    },
  });
}
