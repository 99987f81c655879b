import { type ExecutionContext, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../core/shared/errors.js';

const EXPOSED = [
  'X-Request-Id',
  'Retry-After',
  'ETag',
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Expires',
].join(', ');

/** Pages of any origin may use signed addresses, and read the response, including errors: the signature is the permission. */
export function openToPages(response: Response): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
}

/** Every response of a controller tells `tell`, errors included. */
export function OnEveryResponse(tell: (response: Response) => void): ClassDecorator {
  const canActivate = (context: ExecutionContext) => {
    tell(context.switchToHttp().getResponse<Response>());
    return true;
  };
  return UseGuards({ canActivate });
}

export function preflight(response: Response, methods: string): void {
  response.setHeader('Allow', methods);
  response.setHeader('Access-Control-Allow-Methods', methods);
  response.setHeader('Access-Control-Allow-Headers', '*');
  response.setHeader('Access-Control-Max-Age', '86400');
}

export function otherMethod({ method }: Request, response: Response, methods: string): DomainError {
  response.setHeader('Allow', methods);
  return new DomainError('method_not_allowed', `${method} is not supported here. Allowed: ${methods}.`);
}

/** Says it to nginx alone, which does not pass it on. @param seconds For which any cache may store the response. */
export function nginxCacheHeaders(seconds: number): Record<string, string> {
  // A cache of nginx cannot be told to remove what it has stored. So it asks every minute whether that is still valid.
  return { 'X-Accel-Expires': String(Math.min(seconds, 60)) };
}
