import { invalid, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, foldKey, requiredTextErrors } from '../shared/text.js';

/** A query of the library under a name, for all people of the customer. */
export interface SavedSearch {
  readonly customerId: Id;
  readonly id: Id;
  readonly name: string;
  /** `foldKey` of the name: no two searches of a customer have the same. */
  readonly nameKey: string;
  /** The query as the address of the library has it: what it means is known where addresses are read. */
  readonly query: string;
  readonly createdAt: Date;
}

export type NewSavedSearch = Omit<SavedSearch, 'customerId' | 'id'>;

/** Searches that one customer may save. */
export const MAX_SAVED_SEARCHES = 100;
export const MAX_SEARCH_NAME = 100;
/** Characters of a query. */
export const MAX_SAVED_QUERY = 2000;

/** The name in the form in which it is stored. Errors: `invalid_request`. */
export function searchName(text: string): Pick<SavedSearch, 'name' | 'nameKey'> {
  const name = cleanText(text);
  requireValid(requiredTextErrors('name', name, MAX_SEARCH_NAME));
  return { name, nameKey: foldKey(name) };
}

/** Errors: `invalid_request`. */
export function requireQuery(query: string): string {
  if (query === '') {
    const message = 'Filter the library first: a search that finds everything needs no name.';
    throw invalid({ field: 'query', code: 'too_short', message, min: 1 });
  }
  if (query.length > MAX_SAVED_QUERY) {
    const message = `A search can have at most ${MAX_SAVED_QUERY} characters. Remove some of its filters.`;
    throw invalid({ field: 'query', code: 'too_long', message, max: MAX_SAVED_QUERY });
  }
  return query;
}

/** Saved searches of the bound customer. */
export interface SavedSearchReads {
  /** All of them, by `nameKey`. */
  list(): Promise<readonly SavedSearch[]>;
}

export interface SavedSearchRepository extends SavedSearchReads {
  /** Stores it under a new id. The name must be free. */
  insert(search: NewSavedSearch): Promise<SavedSearch>;
  /** False when there is none with this id. The name must be free. */
  rename(id: Id, name: Pick<SavedSearch, 'name' | 'nameKey'>): Promise<boolean>;
  /** False when there is none with this id. */
  delete(id: Id): Promise<boolean>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly savedSearches: SavedSearchReads;
  }
  interface Repositories {
    readonly savedSearches: SavedSearchRepository;
  }
}
