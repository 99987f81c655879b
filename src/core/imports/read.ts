import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import { byName, type TagName } from '../tags/tag.js';
import type { TagReads } from '../tags/tag-repository.js';
import type { CountedImport, ImportStatus } from './import.js';
import type { ImportPhoto, ImportPhotoStatus } from './import-photo.js';
import { type TargetUses, type UploadTarget, uploadTargets } from './target.js';

/** Errors: `not_found`. */
export function readImport(
  { store }: { store: Readable<'tags' | 'imports'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<ImportDetails> {
  return store.query(caller.customerId, async (reader) =>
    importDetailsOf(reader.tags, requireFound(await reader.imports.get(id), 'import')),
  );
}

/** The customer's imports, newest first. Errors: `invalid_cursor`. */
export function listImports(
  uses: { store: Readable<'imports'>; secrets: Secrets; clock: Clock },
  { customerId }: Pick<Caller, 'customerId'>,
  { statuses, ...request }: PageRequest & { readonly statuses?: readonly ImportStatus[] },
): Promise<Page<CountedImport>> {
  return uses.store.query(customerId, (reader) => {
    const listing = {
      customerId,
      list: 'imports',
      sort: '-id',
      filters: { statuses },
      ...orderById<CountedImport>(),
      rows: (window: PageWindow) => reader.imports.list({ window, ...(statuses && { statuses }) }),
    };
    return readPage(uses, listing, request);
  });
}

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

type ItemUses = TargetUses & { store: Readable<'tags' | 'imports' | 'importPhotos'> };

/** Returns the items that exist, by id ascending, with fresh upload targets for those that wait for bytes. */
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

/** An import as clients see it: with the names of its tags. */
export interface ImportDetails extends CountedImport {
  readonly tags: readonly TagName[];
}

/** An item as clients see it: with the names of its tags and, while it waits for bytes, where to send them. */
export interface ItemDetails extends ImportPhoto {
  readonly tags: readonly TagName[];
  readonly upload: UploadTarget | null;
}

export async function importDetailsOf(tags: TagReads, subject: CountedImport): Promise<ImportDetails> {
  const named = await tags.getMany(subject.tagIds);
  return { ...subject, tags: named.map(({ id, name }) => ({ id, name })).sort(byName) };
}

/** Without upload addresses: `withUploadTargets` adds them, after the transaction. */
export async function itemDetailsOf(tags: TagReads, items: readonly ImportPhoto[]): Promise<readonly ItemDetails[]> {
  const ids = new Set(items.flatMap((item) => item.tagIds));
  const named = ids.size === 0 ? [] : await tags.getMany([...ids].sort((a, b) => a - b));
  const byId = new Map(named.map(({ id, name }) => [id, { id, name }]));
  return items.map((item) => ({
    ...item,
    tags: item.tagIds.flatMap((id) => byId.get(id) ?? []).sort(byName),
    upload: null,
  }));
}

/** The same items; those that wait for bytes with a fresh upload address. */
export async function withUploadTargets(
  uses: TargetUses,
  caller: Caller,
  items: readonly ItemDetails[],
): Promise<readonly ItemDetails[]> {
  const waiting = items.filter((item) => item.status === 'awaiting_upload');
  const targets = await uploadTargets(uses, caller, waiting);
  const byId = new Map(waiting.map((item, index) => [item.id, targets[index] ?? null]));
  return items.map((item) => ({ ...item, upload: byId.get(item.id) ?? null }));
}
