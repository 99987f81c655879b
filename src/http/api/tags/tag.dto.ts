import { foldKey, searchText } from '../../../core/shared/text.js';
import { tagPatchErrors } from '../../../core/tags/edit-tag.js';
import type { TagListRequest } from '../../../core/tags/read-tag.js';
import { type TagFilters, tagSorts } from '../../../core/tags/tag-query.js';
import { tagErrors } from '../../../core/tags/tag-values.js';
import { Ids, ListOf, Text } from '../../requests/body-fields.js';
import type { BodyContext } from '../../requests/json-body.js';
import {
  flag,
  idList,
  oneOf,
  paginationOf,
  paginationParameters,
  type QueryOf,
  text,
} from '../../requests/parameters.js';
import type { ParameterRule } from '../../requests/read-request.js';

export const tagListParameters = {
  ...paginationParameters,
  q: text(200),
  name: text(1000),
  ids: idList(),
  unused: flag,
  sort: oneOf(tagSorts),
};

export function tagListRequest(query: QueryOf<typeof tagListParameters>): TagListRequest {
  const { q, name, ids, unused, sort = 'name' } = query;
  const filters: TagFilters = {
    ...(q !== undefined && { q: searchText(q), ...signsIn(q) }),
    ...(name !== undefined && { nameKey: foldKey(name.trim().replace(/\s+/gu, ' ')) }),
    ...(ids !== undefined && { ids }),
    ...(unused !== undefined && { unused }),
  };
  return { ...paginationOf(query), filters, sort };
}

/** Characters that `searchText` drops: it keeps words, separated by blanks. */
function signsIn(q: string): Pick<TagFilters, 'signs'> {
  const signs = foldKey(q).match(/[^\p{L}\p{N}\p{M}\s]+/gu);
  return signs ? { signs } : {};
}

export const tagCreationParameters = { ifExists: oneOf(['fail', 'return']) };

const readOnly = {
  id: 'it is given by the service.',
  photoCount: 'it counts the photos that carry the tag.',
  createdAt: 'it is kept by the service.',
  updatedAt: 'it is kept by the service.',
  version: 'it is kept by the service.',
  changes: 'it says what addPhotoIds, removePhotoIds and mergeTagIds did.',
};

export class TagCreationBody {
  static readonly readOnly = readOnly;
  static readonly valueErrors = tagErrors;

  @Text({ required: true })
  name: string;

  @Text({ nullable: true })
  color?: string | null;

  @Text({ nullable: true })
  description?: string | null;
}

/** Maximum number of tags that one request can create (API.md §7, 17). */
export const MAX_NEW_TAGS = 100;
/** Maximum number of photos for one bulk tool, and of tags that can be merged (API.md §9). */
export const MAX_TAGGED_PHOTOS = 1000;
export const MAX_MERGED = 20;

export class TagsCreationBody {
  @ListOf(TagCreationBody, MAX_NEW_TAGS)
  tags: TagCreationBody[];
}

/** In a list, a name that is taken never fails the request. */
export const tagCreationRule: ParameterRule<typeof tagCreationParameters> = ({ ifExists = 'return' }, { body }) => {
  if (ifExists === 'return' || !(body instanceof TagsCreationBody)) return [];
  const message = 'A list of tags answers those that exist: leave ifExists out, or send ifExists=return.';
  return [{ field: 'ifExists', code: 'conflict', message }];
};

export class TagPatchBody {
  static readonly readOnly = readOnly;
  static readonly valueErrors = (body: TagPatchBody, { id }: BodyContext) => tagPatchErrors(id, body);

  @Text()
  name?: string;

  @Text({ nullable: true })
  color?: string | null;

  @Text({ nullable: true })
  description?: string | null;

  @Ids(MAX_TAGGED_PHOTOS)
  addPhotoIds?: number[];

  @Ids(MAX_TAGGED_PHOTOS)
  removePhotoIds?: number[];

  @Ids(MAX_MERGED)
  mergeTagIds?: number[];
}
