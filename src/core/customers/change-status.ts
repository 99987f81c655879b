import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { type Customer, close, resume, suspend } from './customer.js';

type StatusUses = { store: Transactional<'customer' | 'audit'>; clock: Clock };

/**
 * From here on every process refuses every write with its keys; reads and downloads work. What was finalized before is still published.
 * Errors: `not_found`; `invalid_request` when the customer is being erased.
 */
export function suspendCustomer(uses: StatusUses, actor: Actor, id: Id): Promise<Customer> {
  return change(uses, actor, id, suspend);
}

/** Errors: `not_found`; `invalid_request` when the customer is being erased. */
export function resumeCustomer(uses: StatusUses, actor: Actor, id: Id): Promise<Customer> {
  return change(uses, actor, id, resume);
}

/**
 * From here on every process treats its keys as unknown and refuses its signed upload addresses. If nobody else does, the worker erases a
 * customer that has been closing for an hour. Errors: `not_found`.
 */
export function closeCustomer(uses: StatusUses, actor: Actor, id: Id): Promise<Customer> {
  return change(uses, actor, id, close);
}

function change(
  { store, clock }: StatusUses,
  actor: Actor,
  id: Id,
  rule: (customer: Customer, at: Date) => Customer,
): Promise<Customer> {
  return store.transaction(id, async (transaction) => {
    const before = await transaction.customer.lock();
    const changed = rule(before, clock.now());
    if (changed === before) return before;
    await transaction.customer.update(changed);
    await transaction.audit.add(actor, {
      action: 'customer.edited',
      subject: changed,
      changes: ['status'],
      at: changed.updatedAt,
    });
    return changed;
  });
}
