import type { NewSavedSearch, SavedSearch, SavedSearchRepository } from '../../../core/searches/saved-search.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';
import { column, insert, tableOf } from '../database/sql.js';

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
    return this.manager.find(savedSearchTable, { where: { customerId: this.customerId }, order: { nameKey: 'ASC' } });
  }

  async insert(search: NewSavedSearch): Promise<SavedSearch> {
    const [stored] = await insert(this.manager, savedSearchTable, [{ ...search, customerId: this.customerId }]);
    return requireFound(stored, 'saved_search');
  }

  async rename(id: Id, { name, nameKey }: Pick<SavedSearch, 'name' | 'nameKey'>): Promise<boolean> {
    const own = { customerId: this.customerId, id };
    const { affected } = await this.manager.update(savedSearchTable, own, { name, nameKey });
    return affected === 1;
  }

  async delete(id: Id): Promise<boolean> {
    const { affected } = await this.manager.delete(savedSearchTable, { customerId: this.customerId, id });
    return affected === 1;
  }
}
