import type { Customer } from '../../src/core/customers/customer.js';
import type { CustomerStore } from '../../src/core/ports.js';
import type { Clock } from '../../src/core/shared/clock.js';
import { DomainError, requireFound } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Reads, Repositories } from '../../src/core/shared/transactional.js';
import { MemoryKeyRepository } from './access/memory-keys.js';
import { MemoryBlobOwnership } from './blobs/memory-blob-owners.js';
import { MemorySourceFetchRepository } from './imports/memory-fetches.js';
import { MemoryImportPhotoRepository, MemoryImportRepository } from './imports/memory-imports.js';
import { MemoryResumableUploadRepository } from './imports/memory-uploads.js';
import { MemoryAuditTrail } from './memory-audit.js';
import { MemoryCustomerRepository, MemoryUsageRepository } from './memory-customers.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { MemoryDeliveryKeyRepository, MemoryPresetRepository } from './memory-delivery.js';
import { MemoryResponseStore } from './memory-idempotency-store.js';
import { MemoryOrphanRows } from './memory-integrity.js';
import { MemoryJobRepository } from './memory-job-queue.js';
import { LockedRows } from './memory-locked-rows.js';
import type { MemoryRepository } from './memory-repository.js';
import { MemoryShareRepository } from './memory-shares.js';
import { MemoryTrafficReads } from './memory-traffic.js';
import { MemoryDeliveryRepository, MemoryOutbox, MemoryWebhookEndpointRepository } from './memory-webhooks.js';
import { MemoryBulkEditRepository } from './photos/memory-bulk-edits.js';
import { MemoryPhotoClusters } from './photos/memory-photo-clusters.js';
import { MemoryPhotoRepository } from './photos/memory-photos.js';
import { MemorySavedSearchRepository } from './photos/memory-saved-searches.js';
import { MemorySimilarPhotoRepository } from './photos/memory-similar-photos.js';
import { MemoryTagRepository } from './photos/memory-tags.js';
import { MemoryFactorRepository } from './users/memory-factors.js';
import { MemoryIdentityRepository } from './users/memory-identities.js';
import { MemoryUserRepository } from './users/memory-users.js';

/** One transaction at a time over everything, so no transaction waits for a single row. */
export class MemoryCustomerStore implements CustomerStore {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly clock: Clock,
    /** `any`: for tests of what happens to those that break the order. */
    private readonly lockOrder: 'kept' | 'any' = 'kept',
  ) {}

  transaction<T>(customerId: Id, work: (transaction: Repositories) => Promise<T>): Promise<T> {
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
  async query<T>(customerId: Id, work: (reader: Reads) => Promise<T>): Promise<T> {
    return work(this.everythingOf(customerId, (call) => this.database.transaction(call)));
  }

  private everythingOf(customerId: Id, pass: Pass): Repositories {
    const held = new LockedRows(this.lockOrder === 'kept');
    const create = <T extends object>(Repository: RepositoryClass<T>): T =>
      passing(new Repository(this.database, customerId, held), pass);
    const photos = create(MemoryPhotoRepository);
    const imports = create(MemoryImportRepository);
    return {
      customer: create(MemoryCustomerRepository),
      usage: create(MemoryUsageRepository),
      keys: create(MemoryKeyRepository),
      orphanRows: create(MemoryOrphanRows),
      photos,
      taggedPhotos: photos,
      clusters: create(MemoryPhotoClusters),
      similarPhotos: create(MemorySimilarPhotoRepository),
      tags: create(MemoryTagRepository),
      imports,
      unpublishedTags: imports,
      importPhotos: create(MemoryImportPhotoRepository),
      resumableUploads: create(MemoryResumableUploadRepository),
      sourceFetches: create(MemorySourceFetchRepository),
      blobOwners: create(MemoryBlobOwnership),
      webhookEndpoints: create(MemoryWebhookEndpointRepository),
      deliveries: create(MemoryDeliveryRepository),
      deliveryKeys: create(MemoryDeliveryKeyRepository),
      presets: create(MemoryPresetRepository),
      shares: create(MemoryShareRepository),
      bulkEdits: create(MemoryBulkEditRepository),
      savedSearches: create(MemorySavedSearchRepository),
      users: create(MemoryUserRepository),
      factors: create(MemoryFactorRepository),
      identities: create(MemoryIdentityRepository),
      audit: create(MemoryAuditTrail),
      traffic: create(MemoryTrafficReads),
      outbox: create(MemoryOutbox),
      jobs: passing(new MemoryJobRepository(this.database, customerId, this.clock), pass),
      responses: create(MemoryResponseStore),
    };
  }

  /** For arranging states that no use case brings about yet. */
  change(id: Id, values: Partial<Customer>): Promise<void> {
    return this.database.transaction(async () => {
      this.database.customers.set(id, { ...requireFound(this.database.customers.get(id), 'customer'), ...values });
    });
  }
}

type RepositoryClass<T> = new (...of: ConstructorParameters<typeof MemoryRepository>) => T;

/** The step that every call takes on its way to the rows. */
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
