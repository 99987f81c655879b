import { type EntityManager, LessThan } from 'typeorm';
import type { Actor } from '../../../core/audit/audit-entry.js';
import type { Customer, NewCustomer } from '../../../core/customers/customer.js';
import type { Creation, CreationKey } from '../../../core/customers/customer-directory.js';
import { requireFound } from '../../../core/shared/errors.js';
import { TypeormAuditTrail } from '../audit/audit.repository.js';
import { insert } from '../database/rows.js';
import { creationTable, customerTable } from './customer.table.js';

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
