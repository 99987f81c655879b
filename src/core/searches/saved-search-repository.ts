import type { Id } from '../shared/ids.js';
import type { NewSavedSearch, SavedSearch } from './saved-search.js';

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
