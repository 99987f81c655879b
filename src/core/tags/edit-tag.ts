import type { Caller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { found, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, unconditional } from '../shared/precondition.js';
import { foldKey } from '../shared/text.js';
import { nameTaken } from './create-tag.js';
import { parseTagName, type Tag } from './tag.js';
import { cleanDescription, type SaidOfTag, tagErrors } from './tag-values.js';

export interface TagPatch extends SaidOfTag {
  readonly name?: string | undefined;
}

/** Errors: `invalid_request`, `not_found`, `tag_name_taken`, `precondition_failed`. */
export function editTag(
  { store, clock }: Uses<'store' | 'clock'>,
  caller: Caller,
  id: Id,
  patch: TagPatch,
  check: Precondition<Tag> = unconditional,
): Promise<Tag> {
  const errors = tagErrors(patch);
  if (errors.length > 0) throw invalid(...errors);
  const name = patch.name === undefined ? undefined : parseTagName(patch.name, 'name');
  return store.within(caller.customerId, async (work) => {
    const tag = found((await work.tags.lock([id]))[0], 'tag');
    check(tag);
    const next = merge(tag, patch, name ?? tag.name);
    const same = next.name === tag.name && next.color === tag.color && next.description === tag.description;
    if (same) return tag;
    const edited = { ...next, updatedAt: clock.now(), version: tag.version + 1 };
    if (await work.tags.update(edited)) return edited;
    throw nameTaken((await work.tags.findByNameKeys([edited.nameKey]))[0]);
  });
}

function merge(tag: Tag, patch: TagPatch, name: string): Tag {
  return {
    ...tag,
    name,
    nameKey: foldKey(name),
    color: patch.color === undefined ? tag.color : (patch.color?.toLowerCase() ?? null),
    description: patch.description === undefined ? tag.description : cleanDescription(patch.description),
  };
}
