import type { Customer, CustomerUsage, PhotoTotals } from '../../src/core/customers/customer.js';
import type {
  CustomerCreation,
  CustomerDirectory,
  CustomerWindow,
  Erasure,
  RowCondition,
  RowCounts,
} from '../../src/core/customers/customer-directory.js';
import type { CustomerRepository, QuotaUse, UsageRepository } from '../../src/core/customers/customer-repository.js';
import { reservingStatuses } from '../../src/core/imports/import-photo.js';
import { requireFound } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { MemoryAuditTrail } from './memory-audit.js';
import { copyOf, type MemoryDatabase, type MemoryTable } from './memory-database.js';
import { LockedRows } from './memory-locked-rows.js';
import { MemoryRepository } from './memory-repository.js';

export class MemoryCustomerDirectory implements CustomerDirectory {
  constructor(private readonly database: MemoryDatabase) {}

  page({ after, limit }: CustomerWindow): Promise<readonly Customer[]> {
    const later = ({ id }: Customer) => id > (after ?? 0);
    return this.database.transaction(async () =>
      this.database.customers
        .where(later)
        .sort((a, b) => a.id - b.id)
        .slice(0, limit)
        .map(copyOf),
    );
  }

  transaction<T>(work: (transaction: CustomerCreation) => Promise<T>): Promise<T> {
    const { customers, customerCreations } = this.database;
    return this.database.transaction(() =>
      work({
        find: async (id) => copyOf(customers.get(id) ?? null),
        any: async () => customers.all().length > 0,
        insert: async (customer) => {
          const row: Customer = { ...customer, id: this.database.next('customer') };
          customers.set(row.id, row);
          return copyOf(row);
        },
        auditOf: (id) => new MemoryAuditTrail(this.database, id, new LockedRows(true)),
        findRequest: async (key) => copyOf(customerCreations.get(key) ?? null),
        addRequest: async (request) => customerCreations.set(request.key, request),
        forgetRequests: async (before) => {
          customerCreations.deleteWhere(({ startedAt }) => startedAt < before);
        },
      }),
    );
  }

  find(id: Id): Promise<Customer | null> {
    return this.database.transaction(async () => copyOf(this.database.customers.get(id) ?? null));
  }

  list(): Promise<readonly Customer[]> {
    return this.database.transaction(async () =>
      this.database.customers
        .all()
        .map(copyOf)
        .sort((a, b) => a.id - b.id),
    );
  }

  owning<Row>(table: string, window: CustomerWindow, ...anyOf: readonly RowCondition<Row>[]): Promise<readonly Id[]> {
    return this.database.transaction(async () => {
      const isMeant = (row: object) => anyOf.length === 0 || anyOf.some((condition) => meets(row, condition));
      const owners = this.rowsOf(table).flatMap((row) => (isMeant(row) ? [row.customerId] : []));
      return pageOf([...new Set(owners)], window);
    });
  }

  /** The rows of a table as a database stores them: in imports, also whether their items are gone. */
  private rowsOf(table: string): { readonly customerId: Id }[] {
    const rows = this.database.table(table).entries();
    if (table !== 'imports') return rows.map(([, row]) => row);
    const { forgottenItems } = this.database;
    return rows.map(([id, row]) => ({ ...row, itemsForgotten: forgottenItems.get(id)?.all ?? false }));
  }

  setRenditionBytes(bytes: ReadonlyMap<Id, number>): Promise<void> {
    return this.database.transaction(async () => {
      const { customers, renditionTotals } = this.database;
      renditionTotals.deleteWhere(() => true);
      for (const [customerId, each] of bytes) {
        if (customers.get(customerId)) renditionTotals.set(customerId, { customerId, bytes: each });
      }
    });
  }

  closingSince(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    const isClosing = ({ status, updatedAt }: Customer) => status === 'closing' && updatedAt <= at;
    return this.database.transaction(async () => {
      const closing = this.database.customers.where(isClosing);
      return pageOf(
        closing.map(({ id }) => id),
        window,
      );
    });
  }

  countRows(id: Id): Promise<RowCounts> {
    return this.database.transaction(async () => countRows(this.database, id));
  }

  removeRows(id: Id): Promise<number> {
    return this.database.transaction(async () => {
      const rows = [...ownRowsOf(this.database, id).values()];
      return rows.reduce((removed, { remove }) => removed + remove(), 0);
    });
  }

  remove(id: Id): Promise<boolean> {
    return this.database.transaction(async () => {
      const customer = this.database.customers.get(id);
      if (customer === undefined) return true;
      if (customer.status !== 'closing') throw new Error(`Customer ${id} is ${customer.status} and cannot be removed.`);
      if (Object.values(countRows(this.database, id)).some((rows) => rows > 0)) return false;
      return this.database.customers.delete(id);
    });
  }

  recordErasure(erasure: Erasure): Promise<void> {
    return this.database.transaction(async () => {
      const { erasures } = this.database;
      if (!erasures.get(erasure.customerId)?.complete) erasures.set(erasure.customerId, erasure);
    });
  }

  findErasure(id: Id): Promise<Erasure | null> {
    return this.database.transaction(async () => copyOf(this.database.erasures.get(id) ?? null));
  }
}

/** Whether a row meets a condition. A value that is not there lies in no period, as in a database. */
function meets(row: object, condition: object): boolean {
  const values = row as Readonly<Record<string, unknown>>;
  return Object.entries(condition).every(([field, expected]) => {
    const value = values[field];
    if (typeof expected !== 'object') return value === expected;
    if (!(value instanceof Date)) return false;
    const { until, before, after } = expected as { until?: Date; before?: Date; after?: Date };
    return (!until || value <= until) && (!before || value < before) && (!after || value > after);
  });
}

function pageOf(ids: readonly Id[], { after, limit }: CustomerWindow): Id[] {
  const later = ids.filter((id) => id > (after ?? 0));
  return later.sort((a, b) => a - b).slice(0, limit);
}

function countRows(database: MemoryDatabase, id: Id): RowCounts {
  return Object.fromEntries([...ownRowsOf(database, id)].map(([name, { count }]) => [name, count()]));
}

/** The rows of one kind, as they are counted and removed. */
interface OwnRows {
  count(): number;
  remove(): number;
}

/** Everything of a customer but itself, by name; first what is found by other rows. */
function ownRowsOf(database: MemoryDatabase, id: Id): ReadonlyMap<string, OwnRows> {
  const isOwn = (row: { readonly customerId: Id } | undefined) => row?.customerId === id;
  const ofOwnPhoto = (_: unknown, photoId: Id) => isOwn(database.photos.get(photoId));
  const ofOwnImport = (_: unknown, importId: Id) =>
    isOwn(database.imports.get(importId) ?? database.forgottenImports.get(importId));
  return new Map([
    ['photo_tags', rowsWhere(database.links, ofOwnPhoto)],
    ['photo_exif', rowsWhere(database.exif, ofOwnPhoto)],
    ['departed_from', rowsWhere(database.tombstonePhotos, ofOwnPhoto)],
    ['dropped_uploads', rowsWhere(database.droppedUploads, ofOwnImport)],
    ['forgotten_items', rowsWhere(database.forgottenItems, ofOwnImport)],
    ['key_addresses', rowsWhere(database.keyAddresses, (_, keyId) => isOwn(database.keys.get(keyId)))],
    ...[...database.ownedTables].map(([name, table]) => [name, rowsWhere(table, isOwn)] as const),
  ]);
}

function rowsWhere<T extends object, K extends string | number>(
  table: MemoryTable<T, K>,
  isOwn: (row: T, key: K) => boolean,
): OwnRows {
  return { count: () => table.count(isOwn), remove: () => table.deleteWhere(isOwn) };
}

export class MemoryCustomerRepository extends MemoryRepository implements CustomerRepository {
  async read(): Promise<Customer> {
    return requireFound(this.database.customers.get(this.customerId), 'customer');
  }

  lock(): Promise<Customer> {
    this.held.lock('customer', [this.customerId]);
    return this.read();
  }

  async update(customer: Customer): Promise<void> {
    this.held.requireLocked('customer', this.customerId);
    this.database.customers.set(this.customerId, { ...customer, id: this.customerId });
  }
}

export class MemoryUsageRepository extends MemoryRepository implements UsageRepository {
  async read(): Promise<CustomerUsage> {
    const photos = this.database.photos.rowsOf(this.customerId);
    const trash = photos.filter((photo) => photo.trashedAt !== null);
    const bytes = (rows: typeof photos) => rows.reduce((sum, photo) => sum + photo.sizeBytes, 0);
    return {
      photos: photos.length - trash.length,
      trashedPhotos: trash.length,
      storageBytes: bytes(photos) - bytes(trash),
      trashedBytes: bytes(trash),
      tags: this.database.tags.rowsOf(this.customerId).length,
      openImports: this.database.imports.rowsOf(this.customerId, (subject) => subject.status === 'open').length,
      renditionBytes: this.database.renditionTotals.get(this.customerId)?.bytes ?? 0,
    };
  }

  async photoTotals(): Promise<{ stored: PhotoTotals; counted: PhotoTotals }> {
    const { photos, trashedPhotos, storageBytes, trashedBytes } = await this.read();
    const totals = { photos, trashedPhotos, storageBytes, trashedBytes };
    return { stored: totals, counted: totals };
  }

  async quotaUse(): Promise<QuotaUse> {
    const photos = this.database.photos.rowsOf(this.customerId);
    const items = this.database.importPhotos.rowsOf(this.customerId, (item) => reservingStatuses.includes(item.status));
    const rows = [...photos, ...items];
    return { photos: rows.length, storageBytes: rows.reduce((sum, row) => sum + (row.sizeBytes ?? 0), 0) };
  }

  /** Nothing is stored that could be wrong. */
  async recountPhotos(): Promise<void> {}
}
