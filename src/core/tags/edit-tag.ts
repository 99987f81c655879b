import { type Caller, requireScope } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transactional, unconditional } from '../shared/transactional.js';
import { lockTaggedPhotos, requireMergedTags, retagPhotos } from './retag-photos.js';
import { saveTag } from './save-tag.js';
import { parseTagName, type Tag } from './tag.js';
import { mergedTag, type TagPatch, tagPatchErrors } from './tag-patch.js';
import { type TagChanges, usesTools } from './tag-tools.js';

export interface EditedTag extends Tag {
  /** Absent when no bulk tool was used. */
  readonly changes?: TagChanges;
}

type EditUses = {
  store: Transactional<'tags' | 'taggedPhotos' | 'unpublishedTags' | 'customer' | 'jobs' | 'outbox'>;
  clock: Clock;
  limits: Limits;
};

/**
 * Edits a tag and applies its bulk tools, all or nothing. The tag's own version changes with its values, not with its photos. Errors:
 * `scope_required`, `invalid_request`, `not_found`, `tag_name_taken`, `precondition_failed`.
 */
export async function editTag(
  { store, clock, limits }: EditUses,
  caller: Caller,
  id: Id,
  patch: TagPatch,
  check: Precondition<Tag> = unconditional,
): Promise<EditedTag> {
  const withTools = usesTools(patch);
  if (withTools) requireScope(caller, 'photos:write');
  const errors = tagPatchErrors(id, patch);
  if (errors.length > 0) throw invalid(...errors);
  const name = patch.name === undefined ? undefined : parseTagName(patch.name, 'name');
  return store.transaction(caller.customerId, async (transaction) => {
    const photos = withTools ? await lockTaggedPhotos(transaction, patch) : [];
    const locked = await transaction.tags.lock([...new Set([id, ...(patch.mergeTagIds ?? [])])]);
    const tag = requireFound(
      locked.find((one) => one.id === id),
      'tag',
    );
    const mergeTagIds = requireMergedTags(patch, locked);
    check(tag);
    const at = clock.now();
    const next = mergedTag(tag, patch, name ?? tag.name);
    if (!withTools) return saveTag(transaction, tag, next, at);
    const changes = await retagPhotos(transaction, tag, { ...patch, mergeTagIds }, { photos, limits, at });
    await transaction.outbox.add('tag.deleted', mergeTagIds, at);
    // After the merge, which may have released the name.
    await saveTag(transaction, tag, next, at);
    return { ...requireFound(await transaction.tags.get(id), 'tag'), changes };
  });
}
