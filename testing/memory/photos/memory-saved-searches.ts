import type { NewSavedSearch, SavedSearch, SavedSearchRepository } from '../../../src/core/searches/saved-search.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemorySavedSearchRepository extends MemoryRepository implements SavedSearchRepository {
  private readonly searches = this.database.table<SavedSearch>('saved_searches');

  async list(): Promise<readonly SavedSearch[]> {
    const own = this.searches.rowsOf(this.customerId);
    return own.sort((a, b) => (a.nameKey < b.nameKey ? -1 : 1));
  }

  async insert(search: NewSavedSearch): Promise<SavedSearch> {
    this.database.requireCustomer(this.customerId);
    await this.requireFree(search, null);
    const row = { ...search, customerId: this.customerId, id: this.database.next('savedSearch') };
    this.searches.set(row.id, row);
    return row;
  }

  async rename(id: Id, name: Pick<SavedSearch, 'name' | 'nameKey'>): Promise<boolean> {
    await this.requireFree(name, id);
    const row = this.searches.rowOf(this.customerId, id);
    if (row !== null) this.searches.set(id, { ...row, ...name });
    return row !== null;
  }

  async delete(id: Id): Promise<boolean> {
    return this.searches.rowOf(this.customerId, id) !== null && this.searches.delete(id);
  }

  private async requireFree({ nameKey }: Pick<SavedSearch, 'nameKey'>, except: Id | null): Promise<void> {
    const taken = (await this.list()).some((search) => search.nameKey === nameKey && search.id !== except);
    if (taken) throw new Error(`the name ${nameKey} is taken`);
  }
}
