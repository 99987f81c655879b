import type { NewSavedSearch, SavedSearch, SavedSearchRepository } from '../../../core/searches/saved-search.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';
import { column, tableOf } from '../database/sql.js';

export const savedSearchTable = tableOf<SavedSearch>('savedSearch', 'saved_searches', {
  customerId: column.key,
  id: column.generatedKey,
  name: column.text,
  nameKey: column.text,
  query: column.text,
  createdAt: column.instant,
});

export class TypeormSavedSearchRepository extends TypeormRepository implements SavedSearchRepository {
  list(): Promise<readonly SavedSearch[]> {
    return this.findRows(savedSearchTable, {}, { nameKey: 'ASC' });
  }

  async insert(search: NewSavedSearch): Promise<SavedSearch> {
    return requireFound(await this.insertRow(savedSearchTable, search), 'saved_search');
  }

  async rename(id: Id, { name, nameKey }: Pick<SavedSearch, 'name' | 'nameKey'>): Promise<boolean> {
    const own = { customerId: this.customerId, id };
    const { affected } = await this.manager.update(savedSearchTable, own, { name, nameKey });
    return affected === 1;
  }

  delete(id: Id): Promise<boolean> {
    return this.deleteRow(savedSearchTable, { id });
  }
}
