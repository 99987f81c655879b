import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../../core/access/caller.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireScope } from '../../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import type { HeaderName } from '../../openapi/headers.js';
import { Documented, DocumentTag, picture } from '../../openapi/operation.js';
import { ifNoneMatchHeader, pathId, rangeParameters } from '../../openapi/parameters.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import { QuerySchema, ValidQuery } from '../../requests/read-request.js';
import { sendDownload } from '../../responses/send-download.js';
import { CurrentCaller } from '../../server/current-caller.js';
import { DownloadQuery, downloadRule } from './photo.dto.js';
import { openDownload } from './photo-bytes.js';

const photoId = pathId('id', 'photo', 90417);
const fileHeaders: readonly HeaderName[] = [
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
  'Content-Disposition',
  'Repr-Digest',
];

@DocumentTag('Photos')
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
    path: [photoId],
    headers: [ifNoneMatchHeader, ...rangeParameters],
    answers: {
      200: { description: 'The complete file.', content: picture, headers: fileHeaders },
      206: {
        description: 'The requested range.',
        content: picture,
        headers: [...fileHeaders, 'Content-Range'],
      },
      304: { description: 'The file has not changed.', headers: fileHeaders },
    },
    errors: ['not_found', 'precondition_failed', 'range_not_satisfiable'],
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
