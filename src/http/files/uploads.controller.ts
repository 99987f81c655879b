import { All, Controller, HttpCode, Inject, Options, Param, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { receiveUpload } from '../../core/imports/receive-upload.js';
import type { Ports } from '../../core/ports.js';
import { NoKeyRequired } from '../access.js';
import { Documented, DocumentTag } from '../openapi/operation.js';
import { pathToken } from '../openapi/parameters.js';
import { PORTS } from '../ports-token.js';
import { UPLOADS_PATH } from '../public-addresses.js';
import { bodyOf, requestTimeout } from '../requests/request-body.js';
import { requestContextOf } from '../server/request-context.js';
import { AnyOrigin, otherMethod, preflight } from './any-origin.js';

const METHODS = 'OPTIONS, PUT';

/** Signed upload targets: each address is valid for the bytes of one item. */
@DocumentTag(
  'Signed URLs',
  'URLs outside /api/v1 that other responses contain. They work without an API key and count against no rate limit.',
)
@Controller(UPLOADS_PATH)
@NoKeyRequired()
@AnyOrigin()
export class UploadsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Put(':token')
  @Documented({
    operationId: 'uploadBytes',
    summary: 'Upload the bytes of an item',
    description:
      'The `upload.url` of an import item. Valid for 6 hours, for this item and its declared size and hash, and no longer than the key that requested it. Sending the same bytes again has no effect. An item receives one upload at a time: a newer upload ends an older one. Some installations issue URLs of their object store instead.',
    path: [pathToken],
    body: "The bytes of the file, with the headers listed in the item's `upload`.",
    streamed: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    answers: { 204: { description: 'The bytes are stored and will be inspected.' } },
    errors: [
      'size_mismatch',
      'checksum_mismatch',
      'upload_forbidden',
      'request_timeout',
      'upload_in_progress',
      'import_photo_final',
      'payload_too_large',
      'rate_limited',
      'storage_full',
    ],
  })
  @HttpCode(204)
  receive(@Param('token') token: string, @Req() request: Request): Promise<void> {
    const declared = request.headers['content-length'];
    return receiveUpload(this.ports, {
      token,
      address: requestContextOf(request).namedIp,
      declaredBytes: declared === undefined ? null : Number(declared),
      bytes: bodyOf(request, requestTimeout),
      isGone: () => request.socket.destroyed,
    });
  }

  @Options(':token')
  @HttpCode(204)
  preflight(@Res({ passthrough: true }) response: Response): void {
    preflight(response, METHODS);
  }

  @All(':token')
  other(@Req() request: Request, @Res({ passthrough: true }) response: Response): never {
    throw otherMethod(request, response, METHODS);
  }
}
