import type { NewSavedSearch, SavedSearch, SavedSearchRepository } from '../../../src/core/searches/saved-search.js';
import type { Id } from '../../../src/core/shared/ids.js';
import type { MemoryDatabase } from '../memory-database.js';

export class MemorySavedSearchRepository implements SavedSearchRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {}

  async list(): Promise<readonly SavedSearch[]> {
    const own = this.database.savedSearches.where(({ customerId }) => customerId === this.customerId);
    return own.sort((a, b) => (a.nameKey < b.nameKey ? -1 : 1));
  }

  async insert(search: NewSavedSearch): Promise<SavedSearch> {
    this.database.requireCustomer(this.customerId);
    await this.requireFree(search, null);
    const row = { ...search, customerId: this.customerId, id: this.database.next('savedSearch') };
    this.database.savedSearches.set(row.id, row);
    return row;
  }

  async rename(id: Id, name: Pick<SavedSearch, 'name' | 'nameKey'>): Promise<boolean> {
    await this.requireFree(name, id);
    const row = await this.get(id);
    if (row !== undefined) this.database.savedSearches.set(id, { ...row, ...name });
    return row !== undefined;
  }

  async delete(id: Id): Promise<boolean> {
    const isOwn = (await this.get(id)) !== undefined;
    if (isOwn) this.database.savedSearches.delete(id);
    return isOwn;
  }

  private async get(id: Id): Promise<SavedSearch | undefined> {
    return (await this.list()).find((search) => search.id === id);
  }

  private async requireFree({ nameKey }: Pick<SavedSearch, 'nameKey'>, except: Id | null): Promise<void> {
    const taken = (await this.list()).some((search) => search.nameKey === nameKey && search.id !== except);
    if (taken) throw new Error(`the name ${nameKey} is taken`);
  }
}
