import type { Id } from '../../core/shared/ids.js';
import { foldKey, searchText } from '../../core/shared/text.js';
import type { TagListRequest } from '../../core/tags/read-tag.js';
import {
  MAX_TAG_DESCRIPTION,
  MAX_TAG_NAME,
  type TagFilters,
  type TagSort,
  tagErrors,
  tagPatchErrors,
  tagSorts,
} from '../../core/tags/tag.js';
import { RequestModel } from '../../http/fields/declared.js';
import { Ids, ListOf, Text } from '../../http/fields/fields.js';
import type { BodyContext } from '../../http/requests/json-body.js';
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
} from '../../http/requests/parameters.js';
import type { ParameterRule } from '../../http/requests/read-request.js';

/** Texts are measured as they are stored: in NFC, without white space at their ends, in code points. */
export const STORED =
  'Stored in Unicode NFC, without leading or trailing white space; lengths are measured in that form.';

export const tagName = {
  description: `Unique in the account, ignoring case. ${STORED} White space inside becomes one space; control characters are not allowed.`,
  example: 'Paris',
  min: 1,
  max: MAX_TAG_NAME,
};

export const Color = () =>
  Text({
    description: '`#rrggbb`, or null for none.',
    example: '#3366ff',
    pattern: '^#[0-9a-fA-F]{6}$',
    bound: 7,
    nullable: true,
  });

export const TagDescription = () =>
  Text({
    description: 'What the tag is used for.',
    example: 'Photos from Paris.',
    max: MAX_TAG_DESCRIPTION,
    nullable: true,
  });

const DEFAULT_SORT: TagSort = 'name';

export class TagListQuery extends PaginationQuery {
  @Parameter(text(MAX_SEARCH_TEXT), { description: 'Part of the name, ignoring case and accents.', example: 'par' })
  readonly q?: string;

  @Parameter(text(MAX_FILTER_TEXT), {
    description: 'The complete name, ignoring case. Matches at most one tag.',
    example: 'paris',
  })
  readonly name?: string;

  @Parameter(idList(), idListWords('Return only these tags. Unknown ids are ignored.'))
  readonly ids?: readonly Id[];

  @Parameter(flag, {
    description:
      '`true` returns only tags that no photo outside the trash has, `false` only those that at least one has.',
    example: true,
  })
  readonly unused?: boolean;

  @Parameter(oneOf(tagSorts), {
    description: 'The sort order; `-` means descending. `id` sorts by age.',
    example: DEFAULT_SORT,
    default: DEFAULT_SORT,
  })
  readonly sort?: TagSort;
}

export function tagListRequest(query: TagListQuery): TagListRequest {
  const { q, name, ids, unused, sort = DEFAULT_SORT } = query;
  // What `searchText` drops: it keeps words, separated by blanks.
  const signs = q === undefined ? null : foldKey(q).match(/[^\p{L}\p{N}\p{M}\s]+/gu);
  const filters: TagFilters = {
    ...(q !== undefined && { q: searchText(q) }),
    ...(signs && { signs }),
    ...(name !== undefined && { nameKey: foldKey(name.trim().replace(/\s+/gu, ' ')) }),
    ...(ids !== undefined && { ids }),
    ...(unused !== undefined && { unused }),
  };
  return { ...paginationOf(query), filters, sort };
}

export class TagCreationQuery {
  @Parameter(oneOf(['fail', 'return']), {
    description:
      'What to do if a tag with this name exists. Applies to a single tag; a list always returns the existing tag.',
    meanings: { fail: '409', return: 'return 200 and the existing tag, unchanged' },
    example: 'fail',
  })
  readonly ifExists?: 'fail' | 'return';
}

const readOnly = {
  id: 'it is assigned by the service.',
  photoCount: 'it counts the photos that have the tag.',
  createdAt: 'it is maintained by the service.',
  updatedAt: 'it is maintained by the service.',
  version: 'it is maintained by the service.',
  changes: 'it reports what addPhotoIds, removePhotoIds and mergeTagIds did.',
};

@RequestModel('NewTag', 'A tag to create.')
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

export const MAX_NEW_TAGS = 100;

/** Maximum number of photos for one bulk tool, and of tags that can be merged. */
const [MAX_TAGGED_PHOTOS, MAX_MERGED] = [1000, 20];

@RequestModel('NewTags', 'Tags to create.')
export class TagsCreationBody {
  @ListOf(TagCreationBody, MAX_NEW_TAGS, { description: 'The tags, in any order.' })
  tags: TagCreationBody[];
}

/** In a list, a name that is taken never fails the request. */
export const tagCreationRule: ParameterRule<TagCreationQuery> = ({ ifExists = 'return' }, { body }) => {
  if (ifExists === 'return' || !(body instanceof TagsCreationBody)) return [];
  const message = 'A list of tags always returns existing ones: omit ifExists, or send ifExists=return.';
  return [{ field: 'ifExists', code: 'conflict', message }];
};

@RequestModel(
  'TagPatch',
  'The values to change, and the photos to add the tag to or remove it from. Omitted fields keep their value; null clears a field.',
)
export class TagPatchBody {
  static readonly readOnly = readOnly;
  static readonly valueErrors = (body: TagPatchBody, { id }: BodyContext) => tagPatchErrors(id, body);

  @Text(tagName)
  name?: string;

  @Color()
  color?: string | null;

  @TagDescription()
  description?: string | null;

  @Ids(MAX_TAGGED_PHOTOS, { description: 'Photos to add the tag to.', example: [90417, 90418] })
  addPhotoIds?: number[];

  @Ids(MAX_TAGGED_PHOTOS, { description: 'Photos to remove the tag from.', example: [90417, 90418] })
  removePhotoIds?: number[];

  @Ids(MAX_MERGED, {
    description: 'Tags to merge into this one. Their photos get this tag, and they are deleted.',
    example: [15],
  })
  mergeTagIds?: number[];
}
