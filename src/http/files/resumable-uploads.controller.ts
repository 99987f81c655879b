import { All, Controller, Head, HttpCode, Inject, Options, Param, Patch, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { continueUpload, readUploadProgress } from '../../core/imports/receive/resumable.js';
import type { Ports } from '../../core/ports.js';
import { NoKeyRequired } from '../access.js';
import { Documented, DocumentTag } from '../openapi/operation.js';
import { pathToken, tusResumable, uploadOffset } from '../openapi/parameters.js';
import { PORTS } from '../ports-token.js';
import { UPLOADS_PATH } from '../public-addresses.js';
import { requestContextOf } from '../server/request-context.js';
import { AnyOrigin, otherMethod, preflight } from './any-origin.js';
import { describeTus, requireOffset, requireTusVersion, setProgress, Tus } from './tus.js';
import { UploadBytes } from './upload-bytes.guard.js';
import { uploadOf } from './upload-request.js';

/** Including those of UploadsController. */
const METHODS = 'HEAD, OPTIONS, PATCH, PUT';

/** Uploads to the same addresses that continue where they were cut off, by tus 1.0; and methods that there are not. */
@DocumentTag('Signed URLs')
@Controller(UPLOADS_PATH)
@NoKeyRequired()
@AnyOrigin()
@Tus()
@UseGuards(UploadBytes)
export class ResumableUploadsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Head(':token')
  @Documented({
    operationId: 'getUploadOffset',
    summary: 'Find out how much of an upload has arrived',
    description:
      'For uploads that continue where they were cut off, by tus 1.0 (https://tus.io), where the `protocols` of the `upload` have `tus`. A request that is still sending bytes to this URL ends. A new URL of the same item continues the same upload, for 24 hours after the last byte.',
    path: [pathToken],
    headers: [tusResumable],
    answers: {
      200: {
        description: 'The bytes that need not be sent again. All of them: they will be inspected.',
        headers: ['Upload-Offset', 'Upload-Length', 'Upload-Expires'],
      },
    },
    errors: ['upload_forbidden', 'import_photo_final', 'precondition_failed'],
  })
  @HttpCode(200)
  async progress(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    requireTusVersion(request, response);
    const address = requestContextOf(request).namedIp;
    const progress = await readUploadProgress(this.ports, { token, address });
    setProgress(response, progress);
    response.setHeader('Upload-Length', progress.sizeBytes);
    response.setHeader('Cache-Control', 'no-store');
  }

  @Patch(':token')
  @Documented({
    operationId: 'continueUpload',
    summary: 'Continue an upload',
    description:
      'Adds bytes at the given offset, by tus 1.0. What has arrived is stored even if the connection breaks. The last byte completes the item, with the same checks as a PUT of the whole file; after `checksum_mismatch` the upload starts again at 0.',
    path: [pathToken],
    headers: [tusResumable, uploadOffset],
    body: 'The bytes of the file from the offset on, or some of them.',
    streamed: { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } },
    answers: {
      204: {
        description: 'The bytes are stored. If they are all there, they will be inspected.',
        headers: ['Upload-Offset', 'Upload-Expires'],
      },
    },
    errors: [
      'invalid_request',
      'checksum_mismatch',
      'upload_forbidden',
      'request_timeout',
      'upload_in_progress',
      'upload_offset_mismatch',
      'import_photo_final',
      'precondition_failed',
      'payload_too_large',
      'unsupported_media_type',
      'rate_limited',
      'storage_full',
    ],
  })
  @HttpCode(204)
  async continue(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    requireTusVersion(request, response);
    const upload = { ...uploadOf(token, request), offset: requireOffset(request) };
    setProgress(response, await continueUpload(this.ports, upload));
  }

  @Options(':token')
  @HttpCode(204)
  preflight(@Res({ passthrough: true }) response: Response): void {
    describeTus(response, this.ports.limits.maxFileBytes);
    preflight(response, METHODS);
  }

  @All(':token')
  other(@Req() request: Request, @Res({ passthrough: true }) response: Response): never {
    throw otherMethod(request, response, METHODS);
  }
}
