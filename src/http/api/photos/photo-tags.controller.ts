import { Controller, Get, Inject, Put } from '@nestjs/common';
import type { Caller } from '../../../core/access/caller.js';
import { setPhotoTags } from '../../../core/photos/edit-photo.js';
import { readPhotoTags } from '../../../core/photos/read-photo.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireScope } from '../../access.js';
import { Idempotent, type RunIdempotently } from '../../idempotency/idempotent.js';
import { Documented, DocumentTag } from '../../openapi/operation.js';
import { ifMatchHeader, pathId } from '../../openapi/parameters.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import { BodySchema, ValidBody } from '../../requests/read-request.js';
import { IfMatch, type IfMatchPrecondition } from '../../responses/entity-tag.js';
import { CurrentCaller } from '../../server/current-caller.js';
import { TagPage, tagsView } from '../tags/tag.view.js';
import { PhotoTagsBody } from './photo.dto.js';
import { photoView } from './photo.view.js';

const photoId = pathId('id', 'photo', 90417);

@DocumentTag('Photos')
@Controller('api/v1/photos/:id/tags')
export class PhotoTagsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listPhotoTags',
    summary: 'List the tags of a photo',
    description: 'Returns all tags of the photo on one page, sorted by name.',
    path: [photoId],
    answers: { 200: { description: 'The tags of the photo.', body: TagPage } },
    errors: ['not_found'],
  })
  @RequireScope('photos:read')
  async tags(@CurrentCaller() caller: Caller, @PathId('id') id: Id) {
    return tagsView(await readPhotoTags(this.ports, caller, id));
  }

  @Put()
  @Documented({
    operationId: 'setPhotoTags',
    summary: 'Replace the tags of a photo',
    description:
      'Replaces the whole set; `{"tagIds": []}` removes all tags. Names that do not exist yet are created as tags, which also requires the scope `tags:write`.',
    path: [photoId],
    headers: [ifMatchHeader],
    body: 'The new set of tags.',
    answers: { 200: { description: 'The tags of the photo.', body: TagPage } },
    errors: ['not_found', 'limit_reached', 'precondition_failed'],
  })
  @RequireScope('photos:write')
  @BodySchema(PhotoTagsBody)
  async setTags(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidBody() body: PhotoTagsBody,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent((ports) => setPhotoTags(ports, caller, id, body, ifMatch(photoView)), tagsView);
  }
}
