import type { AccountCaller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { invalid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import { closeCustomer } from './change-status.js';
import type { Customer } from './customer.js';

/**
 * What an owner asks for who wants to leave: the account is closed at once (`closeCustomer`), and erased by the worker within about two
 * hours. Errors: `invalid_request` unless the typed name is the account's, letter by letter; `not_found`.
 */
export async function closeOwnAccount(
  uses: Uses<'store' | 'clock'>,
  { customerId, actor }: AccountCaller,
  typedName: string,
): Promise<Customer> {
  const { name } = await uses.store.query(customerId, (reader) => reader.customer());
  if (cleanText(typedName) !== name) {
    throw invalid({ field: 'name', code: 'invalid_format', message: `Type the name exactly as it stands: ${name}` });
  }
  return closeCustomer(uses, actor, customerId);
}
