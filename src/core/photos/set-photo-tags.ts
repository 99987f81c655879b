import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { type FieldError, invalid, notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transactional, unconditional } from '../shared/transactional.js';
import { lockForNewTags } from '../tags/lock-tags.js';
import { resolveTags } from '../tags/resolve-tags.js';
import type { Tag } from '../tags/tag.js';
import { nameErrors, type TagRequest } from '../tags/tag-request.js';
import { isTrashed, type PhotoWithTags } from './photo.js';

type SetUses = { store: Transactional<'photos' | 'tags' | 'customer' | 'outbox'>; clock: Clock; limits: Limits };

/** Replaces the photo's set of tags. Errors: `invalid_request`, `scope_required`, `not_found`, `limit_reached`, `precondition_failed`. */
export async function setPhotoTags(
  { store, clock, limits }: SetUses,
  caller: Caller,
  id: Id,
  request: TagRequest,
  check: Precondition<PhotoWithTags> = unconditional,
): Promise<readonly Tag[]> {
  const errors = tagSetErrors(request);
  if (errors.length > 0) throw invalid(...errors);
  return store.transaction(caller.customerId, async (transaction) => {
    await lockForNewTags(transaction, request);
    const photo = requireFound((await transaction.photos.lock([id]))[0], 'photo');
    if (isTrashed(photo)) throw notFound('photo');
    check(photo);
    const at = clock.now();
    const tagIds = await resolveTags(transaction, caller, request, { limits, at });
    const had = new Set(photo.tags.map((tag) => tag.id));
    if (had.size !== tagIds.length || tagIds.some((tagId) => !had.has(tagId))) {
      await transaction.photos.setTags(id, tagIds);
      await transaction.photos.update({ ...photo, updatedAt: at, version: photo.version + 1 });
      await transaction.outbox.add('photo.updated', [id], at);
    }
    return transaction.tags.ofPhoto(id);
  });
}

/** Problems with a request that do not depend on the photo. */
export function tagSetErrors(request: TagRequest): FieldError[] {
  if (request.tagIds !== undefined || request.tagNames !== undefined) return nameErrors(request);
  const message = 'Send tagIds, tagNames or both; "tagIds": [] removes all tags.';
  return [{ field: 'tagIds', code: 'required', message }];
}
