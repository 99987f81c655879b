import { foldKey, searchText } from '../../../core/shared/text.js';
import type { TagListRequest } from '../../../core/tags/read-tag.js';
import { type TagFilters, tagSorts } from '../../../core/tags/tag-query.js';
import { Text } from '../body-fields.js';
import { flag, idList, oneOf, type Parameters, pageParameters, pageRequest, text } from '../parameters.js';

export const tagListParameters = {
  ...pageParameters,
  q: text(200),
  name: text(1000),
  ids: idList(),
  unused: flag,
  sort: oneOf(tagSorts),
};

export function tagListRequest(asked: Parameters<typeof tagListParameters>): TagListRequest {
  const { q, name, ids, unused, sort = 'name' } = asked;
  const filters: TagFilters = {
    ...(q !== undefined && { q: searchText(q) }),
    ...(name !== undefined && { nameKey: foldKey(name.trim().replace(/\s+/gu, ' ')) }),
    ...(ids !== undefined && { ids }),
    ...(unused !== undefined && { unused }),
  };
  return { ...pageRequest(asked), filters, sort };
}

export const tagCreationParameters = { ifExists: oneOf(['fail', 'return']) };

const readOnly = {
  id: 'it is given by the service.',
  photoCount: 'it counts the photos that carry the tag.',
  createdAt: 'it is kept by the service.',
  updatedAt: 'it is kept by the service.',
  version: 'it is kept by the service.',
};

export class TagCreationBody {
  static readonly readOnly = readOnly;

  @Text({ required: true })
  name: string;

  @Text({ nullable: true })
  color?: string | null;

  @Text({ nullable: true })
  description?: string | null;
}

export class TagPatchBody {
  static readonly readOnly = readOnly;

  @Text()
  name?: string;

  @Text({ nullable: true })
  color?: string | null;

  @Text({ nullable: true })
  description?: string | null;
}
