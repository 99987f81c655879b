import type { Actor } from '../audit/actor.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText } from '../shared/text.js';
import type { Erasure } from './customer-directory.js';
import { type EraseUses, eraseCustomer } from './erase-customer.js';

/**
 * Erases a customer, and for one that was erased before returns the proof of that. Errors: `invalid_request` unless the typed name is
 * exactly the account's; `not_found`.
 */
export async function eraseWithProof(uses: EraseUses, actor: Actor, id: Id, typedName: string): Promise<Erasure> {
  const customer = await uses.customers.find(id);
  if (customer === null) return requireFound(await uses.customers.findErasure(id), 'customer');
  if (cleanText(typedName) !== customer.name) {
    const message = 'name must be exactly the name of the account that is to be erased.';
    throw invalid({ field: 'name', code: 'invalid_format', message });
  }
  return eraseCustomer(uses, actor, id);
}
