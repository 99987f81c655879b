import { Controller, Delete, Get, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../../core/access/caller.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { createTag } from '../../../core/tags/create-tag.js';
import { createTags } from '../../../core/tags/create-tags.js';
import { deleteTag } from '../../../core/tags/delete-tag.js';
import { editTag } from '../../../core/tags/edit-tag.js';
import { listTags, readTag } from '../../../core/tags/read-tag.js';
import { PORTS } from '../../ports-token.js';
import { Outcomes, Reply } from '../../reply.js';
import { Needs } from '../access.js';
import { Calling } from '../calling.js';
import { Conditions, type IfMatch } from '../entity-tag.js';
import { nothing, Once, type RunOnce } from '../once.js';
import type { Parameters } from '../parameters.js';
import { PathId } from '../path-id.js';
import { Asked, Sent, TakesBody, TakesParameters, TakesPatch } from '../read-request.js';
import { Tagged } from '../send-reply.js';
import {
  TagCreationBody,
  TagPatchBody,
  TagsCreationBody,
  tagCreationParameters,
  tagCreationRule,
  tagListParameters,
  tagListRequest,
} from './tag.dto.js';
import { editedTagView, pageView, tagCreationView, tagView } from './tag.view.js';

@Controller('api/v1/tags')
export class TagsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Needs('tags:read')
  @TakesParameters(tagListParameters)
  async list(@Calling() caller: Caller, @Asked() asked: Parameters<typeof tagListParameters>) {
    return pageView(await listTags(this.ports, caller, tagListRequest(asked)), tagView);
  }

  @Get(':id')
  @Needs('tags:read')
  @Tagged()
  async read(@Calling() caller: Caller, @PathId('id') id: Id) {
    return tagView(await readTag(this.ports, caller, id));
  }

  @Post()
  @Needs('tags:write')
  @Tagged()
  @TakesParameters(tagCreationParameters, tagCreationRule)
  @TakesBody(TagCreationBody, { bulk: { field: 'tags', shape: TagsCreationBody } })
  async create(
    @Calling() caller: Caller,
    @Sent() body: TagCreationBody | TagsCreationBody,
    @Asked() asked: Parameters<typeof tagCreationParameters>,
    @Once() once: RunOnce,
  ) {
    if (body instanceof TagsCreationBody) {
      return once(
        (ports) => createTags(ports, caller, body.tags),
        (results) => new Outcomes(results.map(tagCreationView)),
      );
    }
    return once(
      (ports) => createTag(ports, caller, body, asked.ifExists),
      ({ tag, created }) =>
        created ? new Reply(201, tagView(tag), { Location: `/api/v1/tags/${tag.id}` }) : new Reply(200, tagView(tag)),
    );
  }

  @Patch(':id')
  @Needs('tags:write')
  @Tagged()
  @TakesPatch(TagPatchBody)
  async edit(
    @Calling() caller: Caller,
    @PathId('id') id: Id,
    @Sent() body: TagPatchBody,
    @Conditions() ifMatch: IfMatch,
    @Once() once: RunOnce,
  ) {
    return once((ports) => editTag(ports, caller, id, body, ifMatch(tagView)), editedTagView);
  }

  @Delete(':id')
  @Needs('tags:write')
  @HttpCode(204)
  async delete(@Calling() caller: Caller, @PathId('id') id: Id, @Conditions() ifMatch: IfMatch, @Once() once: RunOnce) {
    return once((ports) => deleteTag(ports, caller, id, ifMatch(tagView)), nothing);
  }
}
