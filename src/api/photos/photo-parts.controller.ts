import { Controller, Get, Inject, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../core/access/caller.js';
import { setPhotoTags } from '../../core/photos/edit-photo.js';
import { readPhotoTags } from '../../core/photos/read-photo.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireScope } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId } from '../../http/requests/parameters.js';
import { BodySchema, QuerySchema, ValidBody, ValidQuery } from '../../http/requests/read-request.js';
import { openDownload } from '../../http/responses/photo-download.js';
import { IfMatch, type IfMatchPrecondition } from '../../http/responses/reply.js';
import { sendDownload } from '../../http/responses/send-download.js';
import { CurrentCaller } from '../../http/server/request-context.js';
import { Idempotent, type RunIdempotently } from '../idempotency/idempotent-responses.js';
import type { HeaderName } from '../openapi/headers.js';
import { Documented, DocumentTag, PathParameters, pictureAnswers } from '../openapi/operation.js';
import { ifNoneMatchHeader, photoId, rangeParameters } from '../openapi/parameters.js';
import { TagPage, tagsView } from '../tags/tag.view.js';
import { DownloadQuery, downloadRule, PhotoTagsBody } from './photo.dto.js';
import { photoView } from './photo.view.js';

@DocumentTag('Photos')
@PathParameters(photoId)
@Controller('api/v1/photos/:id/tags')
export class PhotoTagsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listPhotoTags',
    summary: 'List the tags of a photo',
    description: 'Returns all tags of the photo on one page, sorted by name.',
    answers: { 200: { description: 'The tags of the photo.', body: TagPage } },
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
    body: 'The new set of tags.',
    answers: { 200: { description: 'The tags of the photo.', body: TagPage } },
    errors: ['limit_reached'],
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

const fileHeaders: readonly HeaderName[] = [
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
  'Content-Disposition',
  'Repr-Digest',
];

@DocumentTag('Photos')
@PathParameters(photoId)
@Controller('api/v1/photos/:id/download')
export class PhotoDownloadController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Get()
  @Documented({
    operationId: 'downloadPhoto',
    summary: 'Download a photo',
    description:
      'Returns the original, byte for byte, or a rendition, which is upright, in sRGB, and free of metadata. Supports `Range`, `If-Range`, `If-None-Match` and HEAD; every request counts as one read. If the store fails during a response, the connection is closed: a response that ends normally is complete. A photo with `originalLostAt` set returns 503.',
    headers: [ifNoneMatchHeader, ...rangeParameters],
    answers: pictureAnswers('The complete file.', 'file', fileHeaders),
    errors: ['precondition_failed', 'range_not_satisfiable'],
  })
  @RequireScope('photos:read')
  @QuerySchema(DownloadQuery, downloadRule)
  async download(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidQuery() query: DownloadQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendDownload(request, response, await openDownload(this.ports, caller, id, query), this.options);
  }
}
