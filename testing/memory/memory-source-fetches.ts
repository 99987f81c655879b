import type { SourceFetch, SourceFetchRepository } from '../../src/core/imports/fetch/source-fetch.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import { storedJobKey } from './memory-job-queue.js';
import type { LockedRows } from './memory-locked-rows.js';

export class MemorySourceFetchRepository implements SourceFetchRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly held: LockedRows,
  ) {}

  async get(itemId: Id): Promise<SourceFetch | null> {
    const stored = this.database.sourceFetches.get(itemId);
    return stored?.customerId === this.customerId ? stored : null;
  }

  async put(fetches: readonly SourceFetch[]): Promise<void> {
    for (const fetch of fetches) {
      if (!this.held.isLocked('import', fetch.importId)) this.held.requireLocked('item', fetch.itemId);
      if (this.database.importPhotos.get(fetch.itemId)?.customerId !== this.customerId) {
        throw new Error(`There is no item ${fetch.itemId}.`);
      }
      this.database.sourceFetches.set(fetch.itemId, { ...fetch, customerId: this.customerId });
    }
  }

  async lock(): Promise<void> {}

  async setValidator(itemId: Id, validator: string | null): Promise<void> {
    const stored = await this.get(itemId);
    if (stored !== null) this.database.sourceFetches.set(itemId, { ...stored, validator });
  }

  async delete(itemId: Id): Promise<void> {
    if ((await this.get(itemId)) !== null) deleteSourceFetch(this.database, itemId);
  }
}

/** Deletes a fetch and its job. */
export function deleteSourceFetch(database: MemoryDatabase, itemId: Id): void {
  const stored = database.sourceFetches.get(itemId);
  if (stored === undefined) return;
  const { customerId, importId, uploadId, host } = stored;
  database.jobs.delete(storedJobKey(customerId, { kind: 'fetch', importId, itemId, uploadId, host }));
  database.sourceFetches.delete(itemId);
}
