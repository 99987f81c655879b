import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { invalid, notFound, requireBelowLimit } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable, Transactional } from '../shared/transactional.js';
import { MAX_SAVED_SEARCHES, requireQuery, type SavedSearch, searchName } from './saved-search.js';

/** Errors: `invalid_request`, `limit_reached`, `not_found` (customer). */
export async function saveSearch(
  { store, clock }: { store: Transactional<'customer' | 'savedSearches'>; clock: Clock },
  { customerId }: Pick<Caller, 'customerId'>,
  input: { readonly name: string; readonly query: string },
): Promise<SavedSearch> {
  const [named, query] = [searchName(input.name), requireQuery(input.query)];
  return store.transaction(customerId, async ({ customer, savedSearches }) => {
    // One at a time: their number stays within its limit, and no two get the same name.
    await customer.lock();
    const all = await savedSearches.list();
    requireFreeName(all, named);
    const message = `A customer can save at most ${MAX_SAVED_SEARCHES} searches. Delete one first.`;
    requireBelowLimit(all.length, MAX_SAVED_SEARCHES, 'saved searches', message);
    return savedSearches.insert({ ...named, query, createdAt: clock.now() });
  });
}

/** Errors: `invalid_request`. */
function requireFreeName(all: readonly SavedSearch[], { name, nameKey }: Pick<SavedSearch, 'name' | 'nameKey'>): void {
  if (!all.some((search) => search.nameKey === nameKey)) return;
  const message = `There is already a search "${name}". Choose another name, or delete that search.`;
  throw invalid({ field: 'name', code: 'conflict', message });
}

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
