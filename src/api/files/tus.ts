import { type CanActivate, type ExecutionContext, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { UploadProgress } from '../../core/imports/receive/resumable.js';
import { DomainError, invalid } from '../../core/shared/errors.js';
import { headerOf } from '../../http/server/headers.js';

/** The version of the protocol for resumable uploads (https://tus.io) that is spoken here. */
const TUS_VERSION = '1.0.0';
const CONTENT_TYPE = 'application/offset+octet-stream';

/** Every response says which version is spoken, errors included. */
class SpeaksTus implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getResponse<Response>().setHeader('Tus-Resumable', TUS_VERSION);
    return true;
  }
}

export const Tus = () => UseGuards(new SpeaksTus());

/** Describes what is supported, in the response to OPTIONS. */
export function describeTus(response: Response, maxBytes: number): void {
  response.setHeader('Tus-Version', TUS_VERSION);
  response.setHeader('Tus-Extension', 'expiration');
  response.setHeader('Tus-Max-Size', maxBytes);
}

/** Errors: `precondition_failed`. */
export function requireTusVersion(request: Request, response: Response): void {
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

export function setProgress(response: Response, { offset, expiresAt }: UploadProgress): void {
  response.setHeader('Upload-Offset', offset);
  response.setHeader('Upload-Expires', expiresAt.toUTCString());
  // Browsers send what breaks on a connection that was used before again by themselves, from a byte that is no longer the next.
  response.setHeader('Connection', 'close');
}
