import type { Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import type { Transactional } from '../shared/transactional.js';
import type { AccountCaller } from './account-caller.js';
import { closeCustomer } from './change-status.js';
import type { Customer } from './customer.js';

/**
 * For an owner who wants to leave: closes the account immediately (`closeCustomer`); the worker erases it within about two hours. Errors:
 * `invalid_request` unless the typed name is exactly the account's; `not_found`.
 */
export async function closeOwnAccount(
  uses: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  typedName: string,
): Promise<Customer> {
  const { name } = await uses.store.query(customerId, (reader) => reader.customer.read());
  if (cleanText(typedName) !== name) {
    throw invalid({
      field: 'name',
      code: 'invalid_format',
      message: `Enter the name exactly as it is written: ${name}`,
    });
  }
  return closeCustomer(uses, actor, customerId);
}
