import { type DataSource, type EntityManager, LessThan, LessThanOrEqual, MoreThan } from 'typeorm';
import type { Actor } from '../../../core/audit/audit-entry.js';
import type { Customer, NewCustomer } from '../../../core/customers/customer.js';
import type {
  Creation,
  CreationKey,
  CustomerDirectory,
  CustomerWindow,
  Erasure,
  OldEnough,
  RowCounts,
} from '../../../core/customers/customer-directory.js';
import type { CustomerRepository } from '../../../core/customers/customer-repository.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormAuditTrail } from '../audit/audit.repository.js';
import { quoted, tablesByReference } from '../database/catalogue.js';
import {
  change,
  document,
  generatedKey,
  insert,
  instant,
  key,
  optionalBigWhole,
  optionalInstant,
  prepared,
  select,
  selectList,
  tableOf,
  text,
  update,
  whole,
  yesOrNo,
} from '../database/sql.js';
import { inTransaction, withoutLimits, withoutTransaction } from '../database/transaction.js';
import { oldEnoughImports } from '../imports/import.repository.js';
import { abandonedUploads } from '../imports/resumable-upload.repository.js';

export const customerTable = tableOf<Customer>('customer', 'customers', {
  id: generatedKey,
  name: text,
  status: text,
  defaultTimeZone: text,
  trashRetentionDays: whole,
  storageBytesLimit: optionalBigWhole,
  photosLimit: optionalBigWhole,
  factorsRequiredFrom: optionalInstant,
  settingsIpList: { type: 'text', array: true },
  admitsNewPeople: yesOrNo,
  createdAt: instant,
  updatedAt: instant,
  version: whole,
});

/** The account that the operator API made for an idempotency key; without `createdId` until the transaction ends. */
interface CreationRow {
  readonly key: string;
  readonly fingerprint: string;
  readonly createdId: Id | null;
  readonly startedAt: Date;
}

export const creationTable = tableOf<CreationRow>('customerCreation', 'customer_creations', {
  key: { ...text, primary: true },
  fingerprint: text,
  createdId: optionalBigWhole,
  startedAt: instant,
});

interface ErasureRow {
  readonly erasedId: Id;
  readonly proof: Erasure;
  readonly finishedAt: Date;
}

export const erasureTable = tableOf<ErasureRow>('erasure', 'erasures', {
  erasedId: key,
  proof: document,
  finishedAt: instant,
});

export class TypeormCustomerDirectory implements CustomerDirectory {
  constructor(private readonly dataSource: DataSource) {}

  create(customer: NewCustomer, actor: Actor): Promise<Customer> {
    return inTransaction(this.dataSource, (manager) => addCustomer(manager, customer, actor));
  }

  createOnce(customer: NewCustomer, actor: Actor, once: CreationKey): Promise<Creation> {
    return inTransaction(this.dataSource, (manager) => addOnce(manager, customer, actor, once));
  }

  find(id: Id): Promise<Customer | null> {
    return withoutTransaction(this.dataSource, (manager) => manager.findOneBy(customerTable, { id }));
  }

  list(): Promise<readonly Customer[]> {
    return withoutTransaction(this.dataSource, (manager) => manager.find(customerTable, { order: { id: 'ASC' } }));
  }

  page({ after, limit: take }: CustomerWindow): Promise<readonly Customer[]> {
    const where = { id: MoreThan(after ?? 0) };
    return withoutTransaction(this.dataSource, (manager) =>
      manager.find(customerTable, { where, order: { id: 'ASC' }, take }),
    );
  }

  createFirst(customer: NewCustomer, actor: Actor): Promise<Customer | null> {
    return inTransaction(this.dataSource, async (manager) => {
      // Blocks others that create a customer, but not readers.
      await manager.query('LOCK TABLE customers IN SHARE ROW EXCLUSIVE MODE');
      if (await manager.exists(customerTable)) return null;
      return addCustomer(manager, customer, actor);
    });
  }

  withTrashToPurge(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners('photos WHERE purge_at <= $3', window, at);
  }

  withIdleImports(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners(`imports WHERE status = 'open' AND expires_at <= $3`, window, at);
  }

  withImportsToForget({ itemsOf, imports }: OldEnough, window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners(`imports WHERE ${oldEnoughImports('$3', '$4')}`, window, itemsOf, imports);
  }

  withBulkEditsBefore(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners('bulk_edits WHERE created_at < $3', window, at);
  }

  withAbandonedUploads(until: Date, window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners(abandonedUploads('$3'), window, until);
  }

  withWebhookEndpoints(window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners('webhook_endpoints WHERE true', window);
  }

  withDeliveryKeys(window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners('delivery_keys WHERE true', window);
  }

  withShares(window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners('shares WHERE true', window);
  }

  withAuthenticatorApps(window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners('authenticator_apps WHERE true', window);
  }

  withImportsEndingAfter(at: Date, window: CustomerWindow): Promise<readonly Id[]> {
    return this.owners(`imports WHERE status = 'open' AND expires_at > $3`, window, at);
  }

  async closingSince(at: Date, { after, limit }: CustomerWindow): Promise<readonly Id[]> {
    const where = { status: 'closing', updatedAt: LessThanOrEqual(at), id: MoreThan(after ?? 0) } as const;
    const closing = await withoutTransaction(this.dataSource, (manager) =>
      manager.find(customerTable, { select: { id: true }, where, order: { id: 'ASC' }, take: limit }),
    );
    return closing.map(({ id }) => id);
  }

  countRows(id: Id): Promise<RowCounts> {
    return countRows(this.dataSource, id);
  }

  removeRows(id: Id): Promise<number> {
    return withoutTransaction(this.dataSource, (manager) => removeRows(manager, id));
  }

  setRenditionBytes(bytes: ReadonlyMap<Id, number>): Promise<void> {
    const values = [[...bytes.keys()], [...bytes.values()]];
    return inTransaction(this.dataSource, async (manager) => {
      // By hand: the table is only written here, and only sums are read. One count at a time; readers see the one before it.
      await manager.query('LOCK TABLE rendition_totals IN SHARE ROW EXCLUSIVE MODE');
      await change(manager, 'DELETE FROM rendition_totals WHERE customer_id <> ALL ($1::bigint[])', [values[0]]);
      const counted = `unnest($1::bigint[], $2::bigint[]) AS counted (id, bytes) JOIN customers c USING (id)`;
      await change(
        manager,
        `INSERT INTO rendition_totals (customer_id, bytes) SELECT id, bytes FROM ${counted}
         ON CONFLICT (customer_id) DO UPDATE SET bytes = excluded.bytes`,
        values,
      );
    });
  }

  remove(id: Id): Promise<boolean> {
    return inTransaction(this.dataSource, (manager) => removeCustomer(manager, id));
  }

  /** By hand, so that one statement decides: a complete proof stays. */
  async recordErasure(erasure: Erasure): Promise<void> {
    await withoutTransaction(this.dataSource, (manager) =>
      change(
        manager,
        `INSERT INTO erasures AS stored (erased_id, proof, finished_at) VALUES ($1, $2, $3)
         ON CONFLICT (erased_id) DO UPDATE SET proof = excluded.proof, finished_at = excluded.finished_at
         WHERE NOT (stored.proof->>'complete')::boolean`,
        [erasure.customerId, JSON.stringify(erasure), erasure.finishedAt],
      ),
    );
  }

  findErasure(id: Id): Promise<Erasure | null> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const row = await manager.findOneBy(erasureTable, { erasedId: id });
      if (row === null) return null;
      const { proof, finishedAt } = row;
      return { ...proof, startedAt: new Date(proof.startedAt), finishedAt };
    });
  }

  /** The customers of these rows. Partial indexes by time find them without reading customers that have none. */
  private owners(rows: string, { after, limit }: CustomerWindow, ...values: Date[]): Promise<readonly Id[]> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const owners = await select<{ id: Id }>(
        manager,
        `SELECT DISTINCT customer_id AS id FROM ${rows} AND customer_id > $1 ORDER BY id LIMIT $2`,
        [after ?? 0, limit, ...values],
      );
      return owners.map(({ id }) => id);
    });
  }
}

/** Part of most requests, so prepared. */
const selectCustomer = prepared(`SELECT ${selectList(customerTable, 'c')} FROM customers c WHERE id = $1`);

export class TypeormCustomerRepository implements CustomerRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  async read(): Promise<Customer> {
    return requireFound((await select<Customer>(this.manager, selectCustomer, [this.customerId]))[0], 'customer');
  }

  lock(): Promise<Customer> {
    return lockCustomer(this.manager, this.customerId);
  }

  update(customer: Customer): Promise<void> {
    return update(this.manager, customerTable, { ...customer, id: this.customerId });
  }
}

/** Locked against others that lock it, not against new rows that refer to it. Errors: `not_found`. */
export async function lockCustomer(manager: EntityManager, id: Id): Promise<Customer> {
  return requireFound(
    await manager.findOne(customerTable, { where: { id }, lock: { mode: 'for_no_key_update' } }),
    'customer',
  );
}

async function addCustomer(manager: EntityManager, customer: NewCustomer, actor: Actor): Promise<Customer> {
  const [row] = await insert(manager, customerTable, [{ ...customer, updatedAt: customer.createdAt }]);
  const stored = requireFound(row, 'customer');
  const made = { action: 'customer.created', subject: stored, at: customer.createdAt } as const;
  await new TypeormAuditTrail(manager, stored.id).add(actor, made);
  return stored;
}

async function addOnce(
  manager: EntityManager,
  customer: NewCustomer,
  actor: Actor,
  { key, fingerprint, expiredBefore }: CreationKey,
): Promise<Creation> {
  await manager.delete(creationTable, { startedAt: LessThan(expiredBefore) });
  // Waits for another transaction with this key, and then finds its row.
  const claim = { key, fingerprint, startedAt: customer.createdAt };
  const claimed = await insert(manager, creationTable, [claim], 'ON CONFLICT (key) DO NOTHING');
  if (claimed.length === 0) return earlier(manager, key, fingerprint);
  const stored = await addCustomer(manager, customer, actor);
  await manager.update(creationTable, { key }, { createdId: stored.id });
  return { outcome: 'created', customer: stored };
}

async function earlier(manager: EntityManager, key: string, fingerprint: string): Promise<Creation> {
  const known = requireFound(await manager.findOneBy(creationTable, { key }), 'customer');
  if (known.fingerprint !== fingerprint) return { outcome: 'taken' };
  const id = requireFound(known.createdId, 'customer');
  return { outcome: 'existing', customer: requireFound(await manager.findOneBy(customerTable, { id }), 'customer') };
}

/** Maximum number of rows per statement, so that it stays well below the statement timeout. */
const BATCH = 1000;
const TOTALS = 'photo_totals';

function countRows(dataSource: DataSource, id: Id): Promise<RowCounts> {
  return withoutLimits(dataSource, async (query) => {
    const counts: Record<string, number> = {};
    for (const name of await tenantTables(query)) {
      const [row] = await query<{ count: number }>(
        `SELECT count(*) AS count FROM ${quoted(name)} WHERE customer_id = $1`,
        [id],
      );
      counts[name] = row?.count ?? 0;
    }
    return counts;
  });
}

async function removeRows(manager: EntityManager, id: Id): Promise<number> {
  for (const name of await tenantTables((sql) => select(manager, sql))) {
    const table = quoted(name);
    const some = `ARRAY(SELECT ctid FROM ${table} WHERE customer_id = $1 LIMIT ${BATCH})`;
    const { count } = await change(manager, `DELETE FROM ${table} WHERE customer_id = $1 AND ctid = ANY (${some})`, [
      id,
    ]);
    if (count > 0) return count;
  }
  return 0;
}

/** Also locked against new rows that refer to it: a transaction that is about to write one waits, and then finds no customer. */
async function removeCustomer(manager: EntityManager, id: Id): Promise<boolean> {
  const customer = await manager.findOne(customerTable, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (customer === null) return true;
  if (customer.status !== 'closing') throw new Error(`Customer ${id} is ${customer.status} and cannot be removed.`);
  for (const name of await tenantTables((sql) => select(manager, sql))) {
    const rows = await select(manager, `SELECT FROM ${quoted(name)} WHERE customer_id = $1 LIMIT 1`, [id]);
    if (rows.length > 0) return false;
  }
  await change(manager, `DELETE FROM ${TOTALS} WHERE customer_id = $1`, [id]);
  await manager.delete(customerTable, { id });
  return true;
}

/**
 * By their names in the catalogue, so statements on them are by hand. Starting with those that no others refer to. Without the totals,
 * which follow from photos and change as these are deleted.
 */
async function tenantTables(query: (sql: string) => Promise<unknown[]>): Promise<readonly string[]> {
  const tables = await tablesByReference(query);
  return tables.flatMap(({ name, isTenants }) => (isTenants && name !== TOTALS ? [name] : [])).reverse();
}
