import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader } from '../shared/transactional.js';
import { MAX_SHARED_PHOTOS, type Share } from './share.js';

/** What a share shows: exactly one of the two. */
export interface ShareContents {
  readonly tagId?: Id | undefined;
  readonly photoIds?: readonly Id[] | undefined;
}

/** All problems, except for tags and photos that do not exist. */
export function contentsErrors({ tagId, photoIds }: ShareContents): FieldError[] {
  if ((tagId === undefined) === (photoIds === undefined)) {
    const message = 'Choose either a tag or photos.';
    return [{ field: 'photoIds', code: 'conflict', message }];
  }
  if (photoIds === undefined) return [];
  const count = new Set(photoIds).size;
  if (count >= 1 && count <= MAX_SHARED_PHOTOS) return [];
  const message = `photoIds must have 1 to ${MAX_SHARED_PHOTOS} photos. Give them a tag to share more.`;
  const code = count === 0 ? 'required' : 'too_many';
  return [{ field: 'photoIds', code, message, max: MAX_SHARED_PHOTOS }];
}

/** They exist, and the photos are outside the trash. Errors: `invalid_request`. */
export async function requireContents(
  { tags, photos }: Reader<'tags' | 'photos'>,
  share: Pick<Share, 'tagId' | 'photoIds'>,
) {
  if (share.tagId !== null && (await tags.get(share.tagId)) === null) {
    throw invalid({ field: 'tagId', code: 'unknown_tag', message: 'There is no such tag.' });
  }
  const found = await photos.getMany(share.photoIds);
  if (found.filter(({ trashedAt }) => trashedAt === null).length === share.photoIds.length) return;
  const message = 'Some of these photos do not exist, or are in the trash.';
  throw invalid({ field: 'photoIds', code: 'conflict', message });
}
