/** Every code that `error.code` can have. Closed: a new one is added here and in http's table of statuses. */
export const errorCodes = [
  'invalid_request',
  'invalid_cursor',
  'unauthorized',
  'scope_required',
  'ip_not_whitelisted',
  'account_suspended',
  'quota_exceeded',
  'upload_forbidden',
  'upload_in_progress',
  'upload_offset_mismatch',
  'storage_full',
  'request_timeout',
  'url_forbidden',
  'not_found',
  'method_not_allowed',
  'tag_name_taken',
  'import_not_open',
  'import_photo_final',
  'uploads_incomplete',
  'limit_reached',
  'idempotency_in_progress',
  'size_mismatch',
  'checksum_mismatch',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'range_not_satisfiable',
  'no_photos_accepted',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
  'service_unavailable',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export type FieldErrorCode =
  | 'required'
  | 'unknown_field'
  | 'unknown_parameter'
  | 'read_only'
  | 'invalid_type'
  | 'invalid_format'
  | 'out_of_range'
  | 'too_short'
  | 'too_long'
  | 'too_many'
  | 'not_nullable'
  | 'conflict'
  | 'unknown_tag'
  | 'invalid_json';

export interface FieldError {
  /** Path in the body (`photos[3].sha256`) or name of the query parameter. */
  readonly field: string;
  readonly code: FieldErrorCode;
  readonly message: string;
  readonly min?: number;
  readonly max?: number;
}

/** Why one item of an import failed or was rejected. Never an `ErrorCode`. */
export type ItemErrorCode =
  | 'invalid_request'
  | 'client_ref_conflict'
  | 'file_too_large'
  | 'file_empty'
  | 'unsupported_format'
  | 'not_an_image'
  | 'decode_failed'
  | 'too_many_pixels'
  | 'size_mismatch'
  | 'checksum_mismatch'
  | 'upload_missing'
  | 'quota_exceeded'
  | 'limit_reached'
  | 'duplicate_source_gone'
  | 'duplicate_of_failed'
  | 'processing_failed'
  | 'source_unreachable'
  | 'source_forbidden'
  | 'source_not_found';

export interface ItemError {
  readonly code: ItemErrorCode;
  readonly message: string;
}

/** The only error that core throws on purpose. `message` is shown to the client and says what to do. */
export class DomainError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

export function invalid(...errors: readonly FieldError[]): DomainError {
  const first = errors[0];
  const message = errors.length === 1 && first ? first.message : `${errors.length} fields are invalid.`;
  return new DomainError('invalid_request', message, { errors });
}

/** Errors: `invalid_request`, with all of these, unless there are none. */
export function requireValid(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(...errors);
}

/** Errors: `limit_reached`, unless there is room for one more. @param name The limit, for programs. */
export function requireBelowLimit(count: number, limit: number, name: string, message: string): void {
  if (count >= limit) throw new DomainError('limit_reached', message, { limit, name });
}

export function notFound(resource: string): DomainError {
  return new DomainError('not_found', `No such ${resource.replace('_', ' ')}.`, { resource });
}

/** A dependency of the work is unavailable; the work itself is not to blame. */
export function isOutage(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'service_unavailable';
}

/** The value. Errors: `not_found`; missing resources and those of other customers look the same. */
export function requireFound<T>(value: T | null | undefined, resource: string): T {
  if (value === null || value === undefined) throw notFound(resource);
  return value;
}

/** Null for what was deleted meanwhile. */
export async function unlessGone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return null;
    throw error;
  }
}

/**
 * Why something failed, for people: the message of the innermost cause. Of several attempts, for example at the addresses of one name, the
 * first.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
