import {
  All,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Head,
  HttpCode,
  Inject,
  Injectable,
  Options,
  Param,
  Patch,
  Put,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { continueUpload, readUploadProgress, type UploadProgress } from '../../core/imports/receive/resumable.js';
import { receiveUpload, type Upload } from '../../core/imports/receive/upload.js';
import { readUploadToken } from '../../core/imports/target.js';
import type { Ports } from '../../core/ports.js';
import { DomainError, invalid } from '../../core/shared/errors.js';
import { NoKeyRequired } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { UPLOADS_PATH } from '../../http/public-addresses.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import { bodyOf, headerOf, requestTimeout } from '../../http/server/request.js';
import { requestContextOf } from '../../http/server/request-context.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { pathToken, tusResumable, uploadOffset } from '../openapi/parameters.js';
import { OnEveryResponse, openToPages, otherMethod, preflight } from './any-origin.js';

/** The version of the protocol for resumable uploads (https://tus.io) that is spoken here. */
const TUS_VERSION = '1.0.0';
const CONTENT_TYPE = 'application/offset+octet-stream';
const METHODS = 'HEAD, OPTIONS, PATCH, PUT';

/** Lets every request pass, and counts its bytes for the account of its URL, even if that is no longer valid. */
@Injectable()
class UploadBytes implements CanActivate {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request<{ token: string }>>();
    const grant = readUploadToken(this.ports, request.params.token);
    if (grant !== null) {
      this.traffic.followBytes(request, http.getResponse<Response>(), grant.customerId, 'signed_urls');
    }
    return true;
  }
}

/**
 * Signed upload targets: each address is valid for the bytes of one item, in one request, or by tus 1.0 in several, which continue where the
 * one before was cut off.
 */
@DocumentTag(
  'Signed URLs',
  'URLs outside /api/v1 that other responses contain. They work without an API key and count against no rate limit.',
)
@PathParameters(pathToken)
@Controller(UPLOADS_PATH)
@NoKeyRequired()
@OnEveryResponse(openToPages)
@OnEveryResponse((response) => response.setHeader('Tus-Resumable', TUS_VERSION))
@UseGuards(UploadBytes)
export class UploadsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Put(':token')
  @Documented({
    operationId: 'uploadBytes',
    summary: 'Upload the bytes of an item',
    description:
      'The `upload.url` of an import item. Valid for 6 hours, for this item and its declared size and hash, and no longer than the key that requested it. Sending the same bytes again has no effect. An item receives one upload at a time: a newer upload ends an older one. Some installations issue URLs of their object store instead.',
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

  @Head(':token')
  @Documented({
    operationId: 'getUploadOffset',
    summary: 'Find out how much of an upload has arrived',
    description:
      'For uploads that continue where they were cut off, by tus 1.0 (https://tus.io), where the `protocols` of the `upload` have `tus`. A request that is still sending bytes to this URL ends. A new URL of the same item continues the same upload, for 24 hours after the last byte.',
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
    headers: [tusResumable, uploadOffset],
    body: 'The bytes of the file from the offset on, or some of them.',
    streamed: { [CONTENT_TYPE]: { schema: { type: 'string', format: 'binary' } } },
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
    response.setHeader('Tus-Version', TUS_VERSION);
    response.setHeader('Tus-Extension', 'expiration');
    response.setHeader('Tus-Max-Size', this.ports.limits.maxFileBytes);
    preflight(response, METHODS);
  }

  @All(':token')
  other(@Req() request: Request, @Res({ passthrough: true }) response: Response): never {
    throw otherMethod(request, response, METHODS);
  }
}

function uploadOf(token: string, request: Request): Upload {
  const declared = headerOf(request, 'content-length');
  return {
    token,
    address: requestContextOf(request).namedIp,
    declaredBytes: declared === undefined ? null : Number(declared),
    bytes: bodyOf(request, requestTimeout),
    isGone: () => request.socket.destroyed,
  };
}

/** Errors: `precondition_failed`. */
function requireTusVersion(request: Request, response: Response): void {
  if (headerOf(request, 'tus-resumable') === TUS_VERSION) return;
  response.setHeader('Tus-Version', TUS_VERSION);
  const message = `Send the header Tus-Resumable: ${TUS_VERSION}. No other version of the protocol is supported.`;
  throw new DomainError('precondition_failed', message);
}

/** Errors: `unsupported_media_type`, `invalid_request`. */
export function requireOffset(request: Request): number {
  const type = headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== CONTENT_TYPE) {
    const message = `Send the bytes with the header Content-Type: ${CONTENT_TYPE}.`;
    throw new DomainError('unsupported_media_type', message, { accepted: [CONTENT_TYPE] });
  }
  const given = headerOf(request, 'upload-offset');
  const field = 'Upload-Offset';
  if (given === undefined) throw invalid({ field, code: 'required', message: `The header ${field} is required.` });
  const offset = Number(given);
  if (/^(0|[1-9][0-9]*)$/.test(given) && Number.isSafeInteger(offset)) return offset;
  const message = `${field} must be a number of bytes.`;
  throw invalid({ field, code: 'invalid_format', message });
}

function setProgress(response: Response, { offset, expiresAt }: UploadProgress): void {
  response.setHeader('Upload-Offset', offset);
  response.setHeader('Upload-Expires', expiresAt.toUTCString());
  // If a request breaks on a connection that has carried another one before, a browser repeats it by itself; its bytes would then begin at an
  // offset that has passed. So the connection ends with this response, and the next request opens one.
  response.setHeader('Connection', 'close');
}
