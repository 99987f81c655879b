import type { Caller } from '../access/caller.js';
import type { TagName } from '../tags/tag.js';
import { byName } from '../tags/tag.js';
import type { TagReads } from '../tags/tag-repository.js';
import type { CountedImport } from './import.js';
import type { ImportPhoto } from './import-photo.js';
import { type UploadTarget, type UploadUses, uploadTarget } from './upload-target.js';

/** An import as clients see it: with the names of its tags. */
export interface ShownImport extends CountedImport {
  readonly tags: readonly TagName[];
}

/** An item as clients see it: with the names of its tags and, while it waits for bytes, where to send them. */
export interface ShownItem extends ImportPhoto {
  readonly tags: readonly TagName[];
  readonly upload: UploadTarget | null;
}

export async function showImport(tags: TagReads, subject: CountedImport): Promise<ShownImport> {
  const named = await tags.getMany(subject.tagIds);
  return { ...subject, tags: named.map(({ id, name }) => ({ id, name })).sort(byName) };
}

export async function showItems(
  uses: UploadUses,
  tags: TagReads,
  caller: Caller,
  items: readonly ImportPhoto[],
): Promise<readonly ShownItem[]> {
  const ids = new Set(items.flatMap((item) => item.tagIds));
  const named = ids.size === 0 ? [] : await tags.getMany([...ids].sort((a, b) => a - b));
  const byId = new Map(named.map(({ id, name }) => [id, { id, name }]));
  return items.map((item) => ({
    ...item,
    tags: item.tagIds.flatMap((id) => byId.get(id) ?? []).sort(byName),
    upload: item.status === 'awaiting_upload' ? uploadTarget(uses, caller, item) : null,
  }));
}
