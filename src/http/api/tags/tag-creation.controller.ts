import { Controller, Post } from '@nestjs/common';
import type { Caller } from '../../../core/access/caller.js';
import { createTag, createTags } from '../../../core/tags/create-tags.js';
import { RequireScope } from '../../access.js';
import { Idempotent, type RunIdempotently } from '../../idempotency/idempotent.js';
import { Documented, DocumentTag } from '../../openapi/operation.js';
import { BodySchema, QuerySchema, ValidBody, ValidQuery } from '../../requests/read-request.js';
import { Outcomes, Reply } from '../../responses/reply.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentCaller } from '../../server/current-caller.js';
import { MAX_NEW_TAGS, TagCreationBody, TagCreationQuery, TagsCreationBody, tagCreationRule } from './tag.dto.js';
import { TagCreationsView, TagView, tagCreationView, tagView } from './tag.view.js';

/** One tag, or many at once. */
@DocumentTag('Tags')
@Controller('api/v1/tags')
export class TagCreationController {
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
        headers: ['ETag'],
      },
      201: { description: 'The new tag.', body: TagView, headers: ['ETag', 'Location'] },
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
}
