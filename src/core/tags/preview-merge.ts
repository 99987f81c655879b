import type { Caller } from '../access/caller.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Tag } from './tag.js';

/** What a merge of tags would affect. */
export interface MergePreview {
  /** By id ascending. */
  readonly tags: readonly Tag[];
  /** Photos that have at least one of them, each counted once, including the trash; at most `MAX_COUNTED`. */
  readonly photos: number;
}

/** Counting more would delay the page. */
export const MAX_COUNTED = 100_000;

/** Changes nothing. Errors: `not_found` when one of the tags does not exist. */
export function previewMerge(
  { store }: { store: Readable<'tags' | 'taggedPhotos'> },
  caller: Caller,
  ids: readonly Id[],
): Promise<MergePreview> {
  return store.query(caller.customerId, async ({ tags, taggedPhotos }) => {
    const named = await tags.getMany(ids);
    for (const id of ids)
      requireFound(
        named.find((tag) => tag.id === id),
        'tag',
      );
    return { tags: named, photos: await taggedPhotos.countTagged(ids, MAX_COUNTED) };
  });
}
