import type { Caller } from '../access/caller.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import {
  type ImportDetails,
  type ItemDetails,
  importDetailsOf,
  itemDetailsOf,
  withUploadTargets,
} from './import-details.js';
import type { ImportPhoto, ImportPhotoStatus } from './import-photo.js';
import { type ItemUses } from './read-import-photos.js';

export interface ItemListRequest extends PageRequest {
  readonly statuses?: readonly ImportPhotoStatus[];
}

/**
 * An import with one page of its items by id; those that wait for bytes have a fresh upload target. Errors: `not_found`, `invalid_cursor`.
 */
export async function listImportPhotos(
  uses: ItemUses,
  caller: Caller,
  importId: Id,
  { statuses, ...request }: ItemListRequest,
): Promise<{ import: ImportDetails; page: Page<ItemDetails> }> {
  const listed = await uses.store.query(caller.customerId, async (reader) => {
    const listing = {
      customerId: caller.customerId,
      list: `imports/${importId}/photos`,
      sort: 'id',
      filters: { statuses },
      ...orderById<ImportPhoto>(),
      rows: (window: PageWindow) => reader.importPhotos.list({ importId, window, ...(statuses && { statuses }) }),
    };
    // Read before its items: an import that is returned as ended must not have items as they were before its end.
    const subject = await reader.imports.get(importId);
    // An invalid cursor is reported before a missing import.
    const page = await readPage(uses, listing, request);
    return {
      import: await importDetailsOf(reader.tags, requireFound(subject, 'import')),
      page: { ...page, data: await itemDetailsOf(reader.tags, page.data) },
    };
  });
  return { ...listed, page: { ...listed.page, data: await withUploadTargets(uses, caller, listed.page.data) } };
}
