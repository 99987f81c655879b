import type { Response } from 'express';
import { DomainError, type ErrorCode } from '../core/shared/errors.js';
import type { RequestContext } from './server/request-context.js';

/** The HTTP status of every error code. */
export const statusOfCode = {
  invalid_request: 400,
  invalid_cursor: 400,
  size_mismatch: 400,
  checksum_mismatch: 400,
  unauthorized: 401,
  scope_required: 403,
  ip_not_whitelisted: 403,
  account_suspended: 403,
  quota_exceeded: 403,
  upload_forbidden: 403,
  url_forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  upload_in_progress: 409,
  upload_offset_mismatch: 409,
  tag_name_taken: 409,
  import_not_open: 409,
  import_photo_final: 409,
  uploads_incomplete: 409,
  limit_reached: 409,
  idempotency_in_progress: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  no_photos_accepted: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
  storage_full: 507,
} as const satisfies Record<ErrorCode, number>;

/** Seconds after which the same request may succeed. An import that is being processed has its own (`LOOK_AGAIN`, api/imports/imports.controller.ts). */
export const retryAfter: Readonly<Partial<Record<ErrorCode, number>>> = {
  service_unavailable: 5,
  idempotency_in_progress: 1,
  request_timeout: 1,
  rate_limited: 1,
  storage_full: 60,
};

/** The same for an error, which may know better: 429 does by its window (`stateOf`, core/access/rolling-window.ts). */
export function retryAfterOf({ code, details }: DomainError): number | undefined {
  const known = details?.['retryAfter'];
  return typeof known === 'number' ? known : retryAfter[code];
}

/** The display of errors to people. Each kind of page registers its own (app.module.ts); the first that is for a request shows its error. */
export interface ErrorPage {
  isFor(requestContext: RequestContext): boolean;
  /** Sends the error as a page. Must not throw. */
  send(error: DomainError, requestContext: RequestContext, response: Response): void;
  /** The message for scripts of these pages, which show it to people; by default that of the API. */
  message?(error: DomainError, requestContext: RequestContext): string;
}

export const ERROR_PAGES = Symbol('ErrorPages');
