import { MAX_TAG_DESCRIPTION, MAX_TAG_NAME } from '../../core/tags/tag.js';
import { type TagSort, tagSorts } from '../../core/tags/tag-query.js';
import {
  MAX_MERGED,
  MAX_NEW_TAGS,
  MAX_TAGGED_PHOTOS,
  type TagCreationBody,
  type TagPatchBody,
  type TagsCreationBody,
  type tagCreationParameters,
  type tagListParameters,
} from '../api/tags/tag.dto.js';
import type { editedTagView, tagCreationView, tagNameView } from '../api/tags/tag.view.js';
import { tagName } from './descriptive.js';
import { type Chapter, json, mergePatch } from './operation.js';
import { idempotencyKey, idList, ifMatch, ifNoneMatch, paginationSchemas, pathId, query } from './parameters.js';
import {
  answer,
  body,
  flag,
  id,
  instant,
  listOf,
  listSchema,
  oneOf,
  orNull,
  ref,
  type Schema,
  text,
  whole,
} from './schema.js';

type TagAnswer = ReturnType<typeof editedTagView>;

const color = orNull(text('`#rrggbb`; null: none.', '#3366ff', { pattern: '^#[0-9a-fA-F]{6}$' }));
const description = orNull(text('What the tag is for.', 'Photos from Paris.', { maxLength: MAX_TAG_DESCRIPTION }));
const number = (what: string): Schema => whole(what, 1, { minimum: 0 });
const photoIds = (what: string): Schema =>
  listOf(what, ref('Id'), { maxItems: MAX_TAGGED_PHOTOS, examples: [[90417, 90418]] });

export const tagFields = {
  id: id('Of the tag.', 12),
  name: text('Unique in the account, whatever its case.', 'Paris', { minLength: 1, maxLength: MAX_TAG_NAME }),
  color,
  description,
  photoCount: whole('Photos outside the trash that carry it.', 431, { minimum: 0 }),
  createdAt: instant('When it was made.'),
  updatedAt: instant('When it was last changed.'),
  version: whole('Counts its changes.', 3, { minimum: 1 }),
} as const;

export const tags: Chapter = {
  schemas: {
    Tag: answer<TagAnswer>('A tag.', { ...tagFields, changes: ref('TagChanges') }, { sometimes: ['changes'] }),
    TagName: answer<ReturnType<typeof tagNameView>>('A tag as it stands in other resources.', {
      id: tagFields.id,
      name: tagFields.name,
    }),
    TagPage: listSchema('A page of tags.', ref('Tag')),
    TagChanges: answer<NonNullable<TagAnswer['changes']>>(
      'Only after `addPhotoIds`, `removePhotoIds` or `mergeTagIds`: what they did to photos outside the trash.',
      {
        added: number('Photos that got the tag.'),
        removed: number('Photos that lost it.'),
        unchanged: number('Photos that had it already, or not at all.'),
        notFound: listOf('Photos that do not exist or are in the trash.', ref('Id')),
        full: listOf('Photos that have as many tags as a photo may have, and so did not get it.', ref('Id')),
        mergedTagIds: listOf('Tags that were merged into it and are gone.', ref('Id')),
      },
    ),
    NewTag: body<TagCreationBody>('A tag to be made.', { name: tagName, color, description }, { required: ['name'] }),
    NewTags: body<TagsCreationBody>(
      'Many tags to be made.',
      { tags: listOf('In any order.', ref('NewTag'), { minItems: 1, maxItems: MAX_NEW_TAGS }) },
      { required: ['tags'] },
    ),
    TagCreations: answer('What became of each tag, in the order of the request.', {
      data: listOf('One for each.', ref('TagCreation')),
    }),
    TagCreation: answer<ReturnType<typeof tagCreationView>>('What became of one tag.', {
      index: whole('Its place in the request, from 0.', 0, { minimum: 0 }),
      outcome: oneOf<ReturnType<typeof tagCreationView>['outcome']>('What became of it.', {
        created: 'it is new',
        existing: 'the name was taken: this is the tag that has it, as it is',
        rejected: 'it is wrong in itself, or there is no room',
      }),
      tag: orNull(ref('Tag', { description: 'The tag; null when it was rejected.' })),
      error: orNull(ref('ItemError', { description: 'Why it was rejected.' })),
    }),
    TagPatch: body<TagPatchBody>('What is to change, and to which photos. What is left out stays; null clears.', {
      name: tagName,
      color,
      description,
      addPhotoIds: photoIds('Photos that get the tag.'),
      removePhotoIds: photoIds('Photos that lose it.'),
      mergeTagIds: listOf('Tags whose photos move to this one; those tags are deleted.', ref('Id'), {
        maxItems: MAX_MERGED,
        examples: [[15]],
      }),
    }),
  },
  paths: {
    '/api/v1/tags': {
      get: {
        operationId: 'listTags',
        tag: 'Tags',
        summary: 'List tags',
        description: 'All, or those that fit everything that is named, page by page.',
        scope: 'tags:read',
        parameters: query<typeof tagListParameters>({
          ...paginationSchemas,
          q: text('Part of the name, whatever case and accents.', 'par', { minLength: 1, maxLength: 200 }),
          name: text('The whole name, whatever its case: one tag or none.', 'paris', { minLength: 1, maxLength: 1000 }),
          ids: idList('These tags; ids that do not exist are simply not there.'),
          unused: flag('`true`: on no photo outside the trash; `false`: on one at least.', true),
          sort: {
            type: 'string',
            enum: [...tagSorts],
            default: 'name' satisfies TagSort,
            description: 'The order; `-` is descending. By `id` is by age.',
            examples: ['name'],
          },
        }),
        answers: { 200: { description: 'A page of tags.', content: json(ref('TagPage')) } },
        errors: ['invalid_cursor'],
      },
      post: {
        operationId: 'createTag',
        tag: 'Tags',
        summary: 'Make tags',
        description: 'One, or up to 100 at once as `{"tags": […]}`: of a list none fails the others.',
        scope: 'tags:write',
        parameters: [
          ...query<typeof tagCreationParameters>({
            ifExists: oneOf<'fail' | 'return'>('When the name is taken. A list always answers the tag that has it.', {
              fail: '409',
              return: '200 with the tag that has it, as it is',
            }),
          }),
          idempotencyKey,
        ],
        body: {
          description: 'One tag, or many.',
          required: true,
          content: json({ oneOf: [ref('NewTag'), ref('NewTags')] }),
        },
        answers: {
          200: {
            description: 'The tag that had the name; of a list, what became of each.',
            content: json({ oneOf: [ref('Tag'), ref('TagCreations')] }),
            headers: ['ETag'],
          },
          201: { description: 'The new tag.', content: json(ref('Tag')), headers: ['ETag', 'Location'] },
        },
        errors: ['tag_name_taken', 'limit_reached'],
      },
    },
    '/api/v1/tags/{id}': {
      get: {
        operationId: 'getTag',
        tag: 'Tags',
        summary: 'Read a tag',
        description: 'With the number of photos that carry it.',
        scope: 'tags:read',
        parameters: [pathId('id', 'tag', 12), ifNoneMatch],
        answers: {
          200: { description: 'The tag.', content: json(ref('Tag')), headers: ['ETag'] },
          304: { description: 'It has not changed.', headers: ['ETag'] },
        },
        errors: ['not_found'],
      },
      patch: {
        operationId: 'updateTag',
        tag: 'Tags',
        summary: 'Change a tag, or put it on and off many photos',
        description:
          'A merge patch (RFC 7396). `addPhotoIds` and `removePhotoIds` put it on or off up to 1,000 photos each, `mergeTagIds` takes other tags in; they need the scope `photos:write`, too, and all is done in one transaction. Renaming to a name that another tag has is 409: merge them instead.',
        scope: 'tags:write',
        parameters: [pathId('id', 'tag', 12), ifMatch, idempotencyKey],
        body: { description: 'What is to change.', required: true, content: mergePatch(ref('TagPatch')) },
        answers: { 200: { description: 'The tag as it is now.', content: json(ref('Tag')), headers: ['ETag'] } },
        errors: ['not_found', 'tag_name_taken', 'precondition_failed'],
      },
      delete: {
        operationId: 'deleteTag',
        tag: 'Tags',
        summary: 'Delete a tag',
        description:
          'It comes off all photos, which stay. A second time it is 404; with the same Idempotency-Key 204 again.',
        scope: 'tags:write',
        parameters: [pathId('id', 'tag', 12), ifMatch, idempotencyKey],
        answers: { 204: { description: 'It is deleted.' } },
        errors: ['not_found', 'precondition_failed'],
      },
    },
  },
};
