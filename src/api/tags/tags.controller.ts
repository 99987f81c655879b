import { Controller, Delete, Get, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { createTag, createTags } from '../../core/tags/create-tags.js';
import { deleteTag } from '../../core/tags/delete-tag.js';
import { editTag } from '../../core/tags/edit-tag.js';
import { listTags, readTag } from '../../core/tags/read-tag.js';
import { RequireScope } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId } from '../../http/requests/parameters.js';
import { BodySchema, PatchSchema, QuerySchema, ValidBody, ValidQuery } from '../../http/requests/read-request.js';
import { IfMatch, type IfMatchPrecondition, listView, Outcomes, Reply, WithETag } from '../../http/responses/reply.js';
import { CurrentCaller } from '../../http/server/request-context.js';
import { Idempotent, noBody, type RunIdempotently } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { pathId } from '../openapi/parameters.js';
import {
  MAX_NEW_TAGS,
  TagCreationBody,
  TagCreationQuery,
  TagListQuery,
  TagPatchBody,
  TagsCreationBody,
  tagCreationRule,
  tagListRequest,
} from './tag.dto.js';
import { editedTagView, TagCreationsView, TagPage, TagView, tagCreationView, tagView } from './tag.view.js';

@DocumentTag('Tags', 'Labels for photos.')
@PathParameters(pathId('id', 'tag', 12))
@Controller('api/v1/tags')
export class TagsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listTags',
    summary: 'List tags',
    description: 'Returns the tags that match all of the given filters, one page at a time.',
    answers: { 200: { description: 'A page of tags.', body: TagPage } },
  })
  @RequireScope('tags:read')
  @QuerySchema(TagListQuery)
  async list(@CurrentCaller() caller: Caller, @ValidQuery() query: TagListQuery) {
    return listView(await listTags(this.ports, caller, tagListRequest(query)), tagView);
  }

  @Post()
  @Documented({
    operationId: 'createTag',
    summary: 'Create tags',
    description: `Creates one tag, or up to ${MAX_NEW_TAGS} at once with \`{"tags": […]}\`. In a list, an invalid tag does not affect the others.`,
    body: 'One tag, or a list of tags.',
    answers: {
      200: {
        description: 'The existing tag with this name or, for a list, the outcome for each tag.',
        body: [TagView, TagCreationsView],
      },
      201: { description: 'The new tag.', body: TagView, headers: ['Location'] },
    },
    errors: ['tag_name_taken', 'limit_reached'],
  })
  @RequireScope('tags:write')
  @WithETag()
  @QuerySchema(TagCreationQuery, tagCreationRule)
  @BodySchema(TagCreationBody, { bulk: { field: 'tags', shape: TagsCreationBody } })
  async create(
    @CurrentCaller() caller: Caller,
    @ValidBody() body: TagCreationBody | TagsCreationBody,
    @ValidQuery() query: TagCreationQuery,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    if (body instanceof TagsCreationBody) {
      return idempotent(
        (ports) => createTags(ports, caller, body.tags),
        (results) => new Outcomes(results.map(tagCreationView)),
      );
    }
    return idempotent(
      (ports) => createTag(ports, caller, body, query.ifExists),
      ({ tag, created }) =>
        created ? new Reply(201, tagView(tag), { Location: `/api/v1/tags/${tag.id}` }) : new Reply(200, tagView(tag)),
    );
  }

  @Get(':id')
  @Documented({
    operationId: 'getTag',
    summary: 'Retrieve a tag',
    description: 'Includes the number of photos that have the tag.',
    answers: {
      200: { description: 'The tag.', body: TagView },
    },
  })
  @RequireScope('tags:read')
  @WithETag()
  async read(@CurrentCaller() caller: Caller, @PathId('id') id: Id) {
    return tagView(await readTag(this.ports, caller, id));
  }

  @Patch(':id')
  @Documented({
    operationId: 'updateTag',
    summary: 'Update a tag, add it to photos or remove it',
    description:
      'Applies a merge patch (RFC 7396). `addPhotoIds` and `removePhotoIds` add the tag to, or remove it from, up to 1,000 photos each, and `mergeTagIds` merges other tags into it. These three also require the scope `photos:write`. All changes happen in one transaction. Renaming a tag to the name of another returns 409: merge them instead.',
    body: 'The values to change.',
    answers: { 200: { description: 'The updated tag.', body: TagView } },
    errors: ['tag_name_taken'],
  })
  @RequireScope('tags:write')
  @WithETag()
  @PatchSchema(TagPatchBody)
  async edit(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidBody() body: TagPatchBody,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent((ports) => editTag(ports, caller, id, body, ifMatch(tagView)), editedTagView);
  }

  @Delete(':id')
  @Documented({
    operationId: 'deleteTag',
    summary: 'Delete a tag',
    description:
      'Removes the tag from all photos and deletes it. The photos remain. Repeating the request returns 404, or 204 with the same `Idempotency-Key`.',
    answers: { 204: { description: 'The tag was deleted.' } },
  })
  @RequireScope('tags:write')
  @HttpCode(204)
  async delete(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent((ports) => deleteTag(ports, caller, id, ifMatch(tagView)), noBody);
  }
}
