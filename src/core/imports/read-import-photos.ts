import type { Caller } from '../access/caller.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { type ItemDetails, itemDetailsOf, withUploadTargets } from './import-details.js';
import type { TargetUses } from './upload-target.js';

export type ItemUses = TargetUses & { store: Readable<'tags' | 'imports' | 'importPhotos'> };

/** Those of the items that exist, by id ascending, with fresh upload targets for those that wait for bytes. */
export async function readImportPhotos(
  uses: ItemUses,
  caller: Caller,
  importId: Id,
  ids: readonly Id[],
): Promise<readonly ItemDetails[]> {
  const items = await uses.store.query(caller.customerId, async (reader) =>
    itemDetailsOf(reader.tags, await reader.importPhotos.getMany(importId, ids)),
  );
  return withUploadTargets(uses, caller, items);
}
