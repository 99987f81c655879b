import { All, Controller, HttpCode, Inject, Options, Param, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { receiveUpload } from '../../core/imports/receive-upload.js';
import type { Ports } from '../../core/ports.js';
import { NoKeyRequired } from '../access.js';
import { Documented } from '../openapi/operation.js';
import { pathToken } from '../openapi/parameters.js';
import { PORTS } from '../ports-token.js';
import { bodyOf, requestTimeout } from '../requests/request-body.js';
import { requestContextOf } from '../server/request-context.js';
import { AnyOrigin, otherMethod, preflight } from './any-origin.js';

const METHODS = 'OPTIONS, PUT';

/** Signed upload targets: each address is valid for the bytes of one item (API.md §8.6). */
@Controller('uploads')
@NoKeyRequired()
@AnyOrigin()
export class UploadsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Put(':token')
  @Documented({
    operationId: 'uploadBytes',
    tag: 'Signed addresses',
    summary: 'Send the bytes of one item',
    description:
      'The `upload.url` of an item. Good for 6 hours, for this item and its declared size and hash; it ends with the key that asked for it. The same bytes again are fine. One upload to an item is received at a time: a newer one ends the older. An installation may give addresses of its store instead.',
    path: [pathToken],
    body: 'The bytes of the file, with the headers that the item names.',
    streamed: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    answers: { 204: { description: 'They are safe, and will be looked at.' } },
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
