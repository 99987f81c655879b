import type { EntityManager } from 'typeorm';
import type { Actor } from '../../../core/audit/actor.js';
import type { Customer, NewCustomer } from '../../../core/customers/customer.js';
import type { Creation, CreationKey } from '../../../core/customers/customer-directory.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormAuditTrail } from '../audit/audit.repository.js';
import { change, insert, select } from '../database/rows.js';
import { customerTable } from './customer.table.js';

export async function addCustomer(manager: EntityManager, customer: NewCustomer, actor: Actor): Promise<Customer> {
  const [row] = await insert(manager, customerTable, [{ ...customer, updatedAt: customer.createdAt }]);
  const stored = requireFound(row, 'customer');
  const made = { action: 'customer.created', subject: stored, at: customer.createdAt } as const;
  await new TypeormAuditTrail(manager, stored.id).add(actor, made);
  return stored;
}

export async function addOnce(
  manager: EntityManager,
  customer: NewCustomer,
  actor: Actor,
  { key, fingerprint, expiredBefore }: CreationKey,
): Promise<Creation> {
  await change(manager, 'DELETE FROM customer_creations WHERE started_at < $1', [expiredBefore]);
  // Waits for another transaction with this key, and then finds its row.
  const claimed = await select(
    manager,
    `INSERT INTO customer_creations (key, fingerprint, started_at) VALUES ($1, $2, $3)
     ON CONFLICT (key) DO NOTHING RETURNING key`,
    [key, fingerprint, customer.createdAt],
  );
  if (claimed.length === 0) return earlier(manager, key, fingerprint);
  const stored = await addCustomer(manager, customer, actor);
  await change(manager, 'UPDATE customer_creations SET created_id = $2 WHERE key = $1', [key, stored.id]);
  return { outcome: 'created', customer: stored };
}

async function earlier(manager: EntityManager, key: string, fingerprint: string): Promise<Creation> {
  const sql = 'SELECT fingerprint, created_id AS "createdId" FROM customer_creations WHERE key = $1';
  const [row] = await select<{ fingerprint: string; createdId: Id }>(manager, sql, [key]);
  const { createdId: id, fingerprint: known } = requireFound(row, 'customer');
  if (known !== fingerprint) return { outcome: 'taken' };
  return { outcome: 'existing', customer: requireFound(await manager.findOneBy(customerTable, { id }), 'customer') };
}
