import type { ItemErrorCode } from '../../core/shared/errors.js';
import type { TagCreationResult } from '../../core/tags/create-tags.js';
import type { EditedTag } from '../../core/tags/edit-tag.js';
import { MAX_TAG_NAME, type Tag, type TagName } from '../../core/tags/tag.js';
import { ResponseModel } from '../../http/fields/declared.js';
import {
  Count,
  IdOf,
  Ids,
  Instant,
  Models,
  Nested,
  OneOf,
  pageOf,
  Reference,
  Text,
  WholeNumber,
} from '../../http/fields/fields.js';
import { instant, listView } from '../../http/responses/reply.js';
import { Color, TagDescription } from './tag.dto.js';

const Name = () =>
  Text({ description: 'Unique in the account, ignoring case.', example: 'Paris', min: 1, max: MAX_TAG_NAME });

@ResponseModel(
  'TagChanges',
  'Only after `addPhotoIds`, `removePhotoIds` or `mergeTagIds`: what they changed, counting photos outside the trash.',
)
export class TagChangesView {
  @Count('Photos that the tag was added to.', 1)
  added: number;

  @Count('Photos that the tag was removed from.', 1)
  removed: number;

  @Count('Photos that already had the tag, or did not have it.', 1)
  unchanged: number;

  @Ids(undefined, { description: 'Photos that do not exist or are in the trash.' })
  notFound: number[];

  @Ids(undefined, { description: 'Photos that did not get the tag because they have the maximum number of tags.' })
  full: number[];

  @Ids(undefined, { description: 'Tags that were merged into this one and deleted.' })
  mergedTagIds: number[];
}

@ResponseModel('Tag', 'A tag.')
export class TagView {
  @IdOf({ description: 'The unique identifier of the tag.', example: 12 })
  id: number;

  @Name()
  name: string;

  @Color()
  color: string | null;

  @TagDescription()
  description: string | null;

  @Count('The number of photos outside the trash that have the tag.', 431)
  photoCount: number;

  @Instant({ description: 'When the tag was created.' })
  createdAt: string;

  @Instant({ description: 'When the tag was last changed.' })
  updatedAt: string;

  @WholeNumber({ description: 'Incremented by every change.', example: 3, min: 1 })
  version: number;

  @Nested(TagChangesView, { sometimes: true })
  changes?: TagChangesView;
}

export const TagPage = pageOf('TagPage', 'A page of tags.', TagView);

export function tagView(tag: Tag): TagView {
  return {
    id: tag.id,
    name: tag.name,
    color: tag.color,
    description: tag.description,
    photoCount: tag.photoCount,
    createdAt: instant(tag.createdAt),
    updatedAt: instant(tag.updatedAt),
    version: tag.version,
  };
}

/** With the result of the bulk tools, if one was used. */
export function editedTagView({ changes, ...tag }: EditedTag): TagView {
  if (changes === undefined) return tagView(tag);
  const { added, removed, unchanged, notFound, full, mergedTagIds } = changes;
  const lists = { notFound: [...notFound], full: [...full], mergedTagIds: [...mergedTagIds] };
  return { ...tagView(tag), changes: { added, removed, unchanged, ...lists } };
}

@ResponseModel('TagCreation', 'The outcome for one tag.')
export class TagCreationView {
  @WholeNumber({ description: 'The position of the tag in the request, starting at 0.', example: 0, min: 0 })
  index: number;

  @OneOf<TagCreationResult['outcome']>(
    {
      created: 'the tag is new',
      existing: 'a tag with this name existed, and is returned unchanged',
      rejected: 'the tag is invalid, or a limit is reached',
    },
    { description: 'What happened to the tag.' },
  )
  outcome: TagCreationResult['outcome'];

  @Nested(TagView, { description: 'The tag. Null if it was rejected.', nullable: true })
  tag: TagView | null;

  @Reference('ItemError', { description: 'Why the tag was rejected.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;
}

@ResponseModel('TagCreations', 'The outcome for each tag, in the order of the request.')
export class TagCreationsView {
  @Models(TagCreationView, { description: 'One outcome per tag.' })
  data: TagCreationView[];
}

export function tagCreationView(result: TagCreationResult): TagCreationView {
  const { index, outcome } = result;
  if (outcome !== 'rejected') return { index, outcome, tag: tagView(result.tag), error: null };
  return { index, outcome, tag: null, error: { code: result.error.code, message: result.error.message } };
}

@ResponseModel('TagName', 'A tag as it appears in other resources.')
export class TagNameView {
  @IdOf({ description: 'The unique identifier of the tag.', example: 12 })
  id: number;

  @Name()
  name: string;
}

export function tagNameView({ id, name }: TagName): TagNameView {
  return { id, name };
}

/** The tags of a photo: always a single page. */
export function tagsView(tags: readonly Tag[]) {
  return listView({ data: tags, nextCursor: null }, tagView);
}
