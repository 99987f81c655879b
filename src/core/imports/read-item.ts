import { Batcher } from '../shared/batcher.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { ImportPhoto } from './import-photo.js';
import { sharedPerStore } from './shared-per-store.js';

interface Asked {
  readonly customerId: Id;
  readonly importId: Id;
  readonly id: Id;
}

const reads = sharedPerStore(
  ({ store }: { store: Readable<'importPhotos'> }) =>
    new Batcher<string, Asked, ImportPhoto | null>(async (_, asked) => {
      const [{ customerId, importId }] = asked as readonly [Asked];
      const ids = asked.map(({ id }) => id);
      const items = await store.query(customerId, (reader) => reader.importPhotos.getMany(importId, ids));
      const byId = new Map(items.map((item) => [item.id, item]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** An item as it is now, or null; items of one import that are requested at the same time are read together. */
export function readItem(
  uses: { store: Readable<'importPhotos'> },
  customerId: Id,
  importId: Id,
  id: Id,
): Promise<ImportPhoto | null> {
  return reads(uses).enqueue(`${customerId}/${importId}`, { customerId, importId, id });
}
