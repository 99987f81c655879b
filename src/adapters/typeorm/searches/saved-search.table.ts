import type { SavedSearch } from '../../../core/searches/saved-search.js';
import { generatedKey, instant, key, tableOf, text } from '../database/columns.js';

export const savedSearchTable = tableOf<SavedSearch>('savedSearch', 'saved_searches', {
  customerId: key,
  id: generatedKey,
  name: text,
  nameKey: text,
  query: text,
  createdAt: instant,
});
