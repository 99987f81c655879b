import type { Caller } from '../access/caller.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable, Transactional } from '../shared/transactional.js';
import { requireFreeName } from './save-search.js';
import { type SavedSearch, searchName } from './saved-search.js';

/** All searches of a customer, by name. */
export function listSearches(
  { store }: { store: Readable<'savedSearches'> },
  { customerId }: Pick<Caller, 'customerId'>,
): Promise<readonly SavedSearch[]> {
  return store.query(customerId, ({ savedSearches }) => savedSearches.list());
}

/** Errors: `invalid_request`, `not_found`. */
export async function renameSearch(
  { store }: { store: Transactional<'customer' | 'savedSearches'> },
  { customerId }: Pick<Caller, 'customerId'>,
  id: Id,
  text: string,
): Promise<void> {
  const named = searchName(text);
  return store.transaction(customerId, async ({ customer, savedSearches }) => {
    await customer.lock();
    const others = (await savedSearches.list()).filter((search) => search.id !== id);
    requireFreeName(others, named);
    if (!(await savedSearches.rename(id, named))) throw notFound('saved_search');
  });
}

/** Errors: `not_found`. */
export function deleteSearch(
  { store }: { store: Transactional<'savedSearches'> },
  { customerId }: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<void> {
  return store.transaction(customerId, async ({ savedSearches }) => {
    if (!(await savedSearches.delete(id))) throw notFound('saved_search');
  });
}
