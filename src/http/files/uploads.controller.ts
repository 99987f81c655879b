import { Controller, HttpCode, Inject, Param, Put, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { receiveUpload } from '../../core/imports/receive/upload.js';
import type { Ports } from '../../core/ports.js';
import { NoKeyRequired } from '../access.js';
import { Documented, DocumentTag } from '../openapi/operation.js';
import { pathToken } from '../openapi/parameters.js';
import { PORTS } from '../ports-token.js';
import { UPLOADS_PATH } from '../public-addresses.js';
import { AnyOrigin } from './any-origin.js';
import { Tus } from './tus.js';
import { UploadBytes } from './upload-bytes.guard.js';
import { uploadOf } from './upload-request.js';

/** Signed upload targets: each address is valid for the bytes of one item, here in one request. */
@DocumentTag(
  'Signed URLs',
  'URLs outside /api/v1 that other responses contain. They work without an API key and count against no rate limit.',
)
@Controller(UPLOADS_PATH)
@NoKeyRequired()
@AnyOrigin()
@Tus()
@UseGuards(UploadBytes)
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
    return receiveUpload(this.ports, uploadOf(token, request));
  }
}
