import { Controller, Delete, Get, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../../core/access/caller.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { createTag } from '../../../core/tags/create-tag.js';
import { createTags } from '../../../core/tags/create-tags.js';
import { deleteTag } from '../../../core/tags/delete-tag.js';
import { editTag } from '../../../core/tags/edit-tag.js';
import { listTags, readTag } from '../../../core/tags/read-tag.js';
import { RequireScope } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { QueryOf } from '../../requests/parameters.js';
import { PathId } from '../../requests/path-id.js';
import { BodySchema, PatchSchema, QuerySchema, ValidBody, ValidQuery } from '../../requests/read-request.js';
import { IfMatch, type IfMatchPrecondition } from '../../responses/entity-tag.js';
import { Outcomes, Reply } from '../../responses/reply.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentCaller } from '../current-caller.js';
import { Idempotent, noBody, type RunIdempotently } from '../idempotency/idempotent.js';
import {
  TagCreationBody,
  TagPatchBody,
  TagsCreationBody,
  tagCreationParameters,
  tagCreationRule,
  tagListParameters,
  tagListRequest,
} from './tag.dto.js';
import { editedTagView, listView, tagCreationView, tagView } from './tag.view.js';

@Controller('api/v1/tags')
export class TagsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @RequireScope('tags:read')
  @QuerySchema(tagListParameters)
  async list(@CurrentCaller() caller: Caller, @ValidQuery() query: QueryOf<typeof tagListParameters>) {
    return listView(await listTags(this.ports, caller, tagListRequest(query)), tagView);
  }

  @Get(':id')
  @RequireScope('tags:read')
  @WithETag()
  async read(@CurrentCaller() caller: Caller, @PathId('id') id: Id) {
    return tagView(await readTag(this.ports, caller, id));
  }

  @Post()
  @RequireScope('tags:write')
  @WithETag()
  @QuerySchema(tagCreationParameters, tagCreationRule)
  @BodySchema(TagCreationBody, { bulk: { field: 'tags', shape: TagsCreationBody } })
  async create(
    @CurrentCaller() caller: Caller,
    @ValidBody() body: TagCreationBody | TagsCreationBody,
    @ValidQuery() query: QueryOf<typeof tagCreationParameters>,
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

  @Patch(':id')
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
