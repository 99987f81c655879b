import type { Actor } from '../../src/core/audit/audit-entry.js';
import type { BulkEdit } from '../../src/core/bulk-edits/bulk-edit.js';
import type { Customer, NewCustomer } from '../../src/core/customers/customer.js';
import type {
  Creation,
  CreationKey,
  CustomerDirectory,
  CustomerWindow,
  Erasure,
  OldEnough,
  RowCounts,
} from '../../src/core/customers/customer-directory.js';
import type { Import } from '../../src/core/imports/import.js';
import type { Photo } from '../../src/core/photos/photo.js';
import { requireFound } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { MemoryAuditTrail } from './memory-audit.js';
import { countRows, removeCustomer, removeRows } from './memory-customer-rows.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { isOldEnough } from './memory-import-repository.js';
import { abandonedUploads } from './memory-resumable-uploads.js';

const TRASH_RETENTION_DAYS = 30;

export class MemoryCustomerDirectory implements CustomerDirectory {
  constructor(private readonly database: MemoryDatabase) {}

  create(customer: NewCustomer, actor: Actor): Promise<Customer> {
    return this.database.transaction(() => this.add(customer, actor));
  }

  createOnce(customer: NewCustomer, actor: Actor, once: CreationKey): Promise<Creation> {
    const { key, fingerprint, expiredBefore } = once;
    return this.database.transaction(async (): Promise<Creation> => {
      const { customerCreations, customers } = this.database;
      customerCreations.deleteWhere(({ startedAt }) => startedAt < expiredBefore);
      const earlier = customerCreations.get(key);
      if (earlier === undefined) {
        const created = await this.add(customer, actor);
        const startedAt = customer.createdAt;
        customerCreations.set(key, { key, fingerprint, createdId: created.id, startedAt });
        return { outcome: 'created', customer: created };
      }
      if (earlier.fingerprint !== fingerprint) return { outcome: 'taken' };
      return { outcome: 'existing', customer: copyOf(requireFound(customers.get(earlier.createdId), 'customer')) };
    });
  }

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

  createFirst(customer: NewCustomer, actor: Actor): Promise<Customer | null> {
    return this.database.transaction(async () =>
      this.database.customers.all().length > 0 ? null : this.add(customer, actor),
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

  withTrashToPurge(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    const due = ({ purgeAt }: Photo) => hasCome(purgeAt, at);
    return this.database.transaction(async () => ownersOf(this.database.photos.where(due), window));
  }

  withIdleImports(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    const due = ({ status, expiresAt }: Import) => status === 'open' && hasCome(expiresAt, at);
    return this.database.transaction(async () => ownersOf(this.database.imports.where(due), window));
  }

  withAbandonedUploads(until: Date, window: CustomerWindow): Promise<readonly Id[]> {
    return this.database.transaction(async () => ownersOf(abandonedUploads(this.database, until), window));
  }

  withWebhookEndpoints(window: CustomerWindow): Promise<readonly Id[]> {
    return this.database.transaction(async () => ownersOf(this.database.webhookEndpoints.all(), window));
  }

  withDeliveryKeys(window: CustomerWindow): Promise<readonly Id[]> {
    return this.database.transaction(async () => ownersOf(this.database.deliveryKeys.all(), window));
  }

  withShares(window: CustomerWindow): Promise<readonly Id[]> {
    return this.database.transaction(async () => ownersOf(this.database.shares.all(), window));
  }

  withAuthenticatorApps(window: CustomerWindow): Promise<readonly Id[]> {
    const apps = this.database.table('authenticator_apps');
    return this.database.transaction(async () => ownersOf(apps.all(), window));
  }

  withImportsEndingAfter(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    const isOpen = ({ status, expiresAt }: Import) =>
      status === 'open' && expiresAt !== null && !hasCome(expiresAt, at);
    return this.database.transaction(async () => ownersOf(this.database.imports.where(isOpen), window));
  }

  withImportsToForget(old: OldEnough, window: CustomerWindow): Promise<readonly Id[]> {
    const due = (subject: Import) => isOldEnough(this.database, subject, old);
    return this.database.transaction(async () => ownersOf(this.database.imports.where(due), window));
  }

  withBulkEditsBefore(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    const isBefore = ({ createdAt }: BulkEdit) => createdAt < at;
    return this.database.transaction(async () => ownersOf(this.database.bulkEdits.where(isBefore), window));
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
    const isClosing = ({ status, updatedAt }: Customer) => status === 'closing' && hasCome(updatedAt, at);
    return this.database.transaction(async () => {
      const closing = this.database.customers.where(isClosing);
      return ownersOf(
        closing.map(({ id }) => ({ customerId: id })),
        window,
      );
    });
  }

  countRows(id: Id): Promise<RowCounts> {
    return this.database.transaction(async () => countRows(this.database, id));
  }

  removeRows(id: Id): Promise<number> {
    return this.database.transaction(async () => removeRows(this.database, id));
  }

  remove(id: Id): Promise<boolean> {
    return this.database.transaction(async () => removeCustomer(this.database, id));
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

  private async add(customer: NewCustomer, actor: Actor): Promise<Customer> {
    const row: Customer = {
      ...customer,
      id: this.database.next('customer'),
      status: 'active',
      trashRetentionDays: TRASH_RETENTION_DAYS,
      factorsRequiredFrom: null,
      settingsIpList: [],
      admitsNewPeople: false,
      updatedAt: customer.createdAt,
      version: 1,
    };
    this.database.customers.set(row.id, row);
    const made = { action: 'customer.created', subject: row, at: row.createdAt } as const;
    await new MemoryAuditTrail(this.database, row.id).add(actor, made);
    return row;
  }
}

function hasCome(instant: Date | null, now: Date): boolean {
  return instant !== null && instant.getTime() <= now.getTime();
}

function ownersOf(rows: readonly { readonly customerId: Id }[], { after, limit }: CustomerWindow): readonly Id[] {
  const owners = new Set(rows.map(({ customerId }) => customerId));
  return [...owners]
    .filter((id) => id > (after ?? 0))
    .sort((a, b) => a - b)
    .slice(0, limit);
}
