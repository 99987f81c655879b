import type { FieldError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { foldKey } from '../shared/text.js';
import type { Tag } from './tag.js';
import { type TagTools, toolErrors } from './tag-tools.js';
import { cleanColor, cleanDescription, type TagInput, tagErrors } from './tag-values.js';

export interface TagPatch extends TagInput, TagTools {}

/** Problems with a patch of this tag that do not depend on other tags or photos. */
export function tagPatchErrors(id: Id, patch: TagPatch): FieldError[] {
  return [...tagErrors(patch), ...toolErrors(id, patch)];
}

export function mergedTag(tag: Tag, patch: TagPatch, name: string): Tag {
  return {
    ...tag,
    name,
    nameKey: foldKey(name),
    color: patch.color === undefined ? tag.color : cleanColor(patch.color),
    description: patch.description === undefined ? tag.description : cleanDescription(patch.description),
  };
}
