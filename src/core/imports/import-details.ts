import type { Caller } from '../access/caller.js';
import { byName, type TagName } from '../tags/tag.js';
import type { TagReads } from '../tags/tag-repository.js';
import type { CountedImport } from './import.js';
import type { ImportPhoto } from './import-photo.js';
import { type TargetUses, type UploadTarget, uploadTargets } from './upload-target.js';

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
