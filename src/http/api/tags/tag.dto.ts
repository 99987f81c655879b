import type { Id } from '../../../core/shared/ids.js';
import { foldKey, searchText } from '../../../core/shared/text.js';
import { tagPatchErrors } from '../../../core/tags/edit-tag.js';
import type { TagListRequest } from '../../../core/tags/read-tag.js';
import { type TagFilters, type TagSort, tagSorts } from '../../../core/tags/tag-query.js';
import { tagErrors } from '../../../core/tags/tag-values.js';
import { RequestModel } from '../../fields/declared.js';
import { Ids, ListOf, Text } from '../../fields/fields.js';
import type { BodyContext } from '../../requests/json-body.js';
import {
  flag,
  idList,
  idListWords,
  MAX_FILTER_TEXT,
  MAX_SEARCH_TEXT,
  oneOf,
  PaginationQuery,
  Parameter,
  paginationOf,
  text,
} from '../../requests/parameters.js';
import type { ParameterRule } from '../../requests/read-request.js';
import { Color, TagDescription, tagName } from './tag-fields.js';

const DEFAULT_SORT: TagSort = 'name';

export class TagListQuery extends PaginationQuery {
  @Parameter(text(MAX_SEARCH_TEXT), { description: 'Part of the name, whatever case and accents.', example: 'par' })
  readonly q?: string;

  @Parameter(text(MAX_FILTER_TEXT), {
    description: 'The whole name, whatever its case: one tag or none.',
    example: 'paris',
  })
  readonly name?: string;

  @Parameter(idList(), idListWords('These tags; ids that do not exist are simply not there.'))
  readonly ids?: readonly Id[];

  @Parameter(flag, { description: '`true`: on no photo outside the trash; `false`: on one at least.', example: true })
  readonly unused?: boolean;

  @Parameter(oneOf(tagSorts), {
    description: 'The order; `-` is descending. By `id` is by age.',
    example: DEFAULT_SORT,
    default: DEFAULT_SORT,
  })
  readonly sort?: TagSort;
}

export function tagListRequest(query: TagListQuery): TagListRequest {
  const { q, name, ids, unused, sort = DEFAULT_SORT } = query;
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

export class TagCreationQuery {
  @Parameter(oneOf(['fail', 'return']), {
    description: 'When the name is taken. A list always answers the tag that has it.',
    meanings: { fail: '409', return: '200 with the tag that has it, as it is' },
    example: 'fail',
  })
  readonly ifExists?: 'fail' | 'return';
}

const readOnly = {
  id: 'it is given by the service.',
  photoCount: 'it counts the photos that carry the tag.',
  createdAt: 'it is kept by the service.',
  updatedAt: 'it is kept by the service.',
  version: 'it is kept by the service.',
  changes: 'it says what addPhotoIds, removePhotoIds and mergeTagIds did.',
};

@RequestModel('NewTag', 'A tag to be made.')
export class TagCreationBody {
  static readonly readOnly = readOnly;
  static readonly valueErrors = tagErrors;

  @Text({ ...tagName, required: true })
  name: string;

  @Color()
  color?: string | null;

  @TagDescription()
  description?: string | null;
}

/** Maximum number of tags that one request can create (API.md §7, 17). */
export const MAX_NEW_TAGS = 100;
/** Maximum number of photos for one bulk tool, and of tags that can be merged (API.md §9). */
export const MAX_TAGGED_PHOTOS = 1000;
export const MAX_MERGED = 20;

@RequestModel('NewTags', 'Many tags to be made.')
export class TagsCreationBody {
  @ListOf(TagCreationBody, MAX_NEW_TAGS, { description: 'In any order.' })
  tags: TagCreationBody[];
}

/** In a list, a name that is taken never fails the request. */
export const tagCreationRule: ParameterRule<TagCreationQuery> = ({ ifExists = 'return' }, { body }) => {
  if (ifExists === 'return' || !(body instanceof TagsCreationBody)) return [];
  const message = 'A list of tags answers those that exist: leave ifExists out, or send ifExists=return.';
  return [{ field: 'ifExists', code: 'conflict', message }];
};

@RequestModel('TagPatch', 'What is to change, and to which photos. What is left out stays; null clears.')
export class TagPatchBody {
  static readonly readOnly = readOnly;
  static readonly valueErrors = (body: TagPatchBody, { id }: BodyContext) => tagPatchErrors(id, body);

  @Text(tagName)
  name?: string;

  @Color()
  color?: string | null;

  @TagDescription()
  description?: string | null;

  @Ids(MAX_TAGGED_PHOTOS, { description: 'Photos that get the tag.', example: [90417, 90418] })
  addPhotoIds?: number[];

  @Ids(MAX_TAGGED_PHOTOS, { description: 'Photos that lose it.', example: [90417, 90418] })
  removePhotoIds?: number[];

  @Ids(MAX_MERGED, {
    description: 'Tags whose photos move to this one; those tags are deleted.',
    example: [15],
  })
  mergeTagIds?: number[];
}
