import type { Request } from 'express';
import type { Upload } from '../../core/imports/receive/upload.js';
import { headerOf } from '../server/headers.js';
import { bodyOf, requestTimeout } from '../server/request-body.js';
import { requestContextOf } from '../server/request-context.js';

/** The bytes that a request sends to a signed upload target. */
export function uploadOf(token: string, request: Request): Upload {
  const declared = headerOf(request, 'content-length');
  return {
    token,
    address: requestContextOf(request).namedIp,
    declaredBytes: declared === undefined ? null : Number(declared),
    bytes: bodyOf(request, requestTimeout),
    isGone: () => request.socket.destroyed,
  };
}
