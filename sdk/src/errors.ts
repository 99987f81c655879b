/** The problem with one field of a request. More members may stand beside these, such as `min` and `max`. */
export interface FieldProblem {
  /** Where: the name of a parameter, or a path into the body such as `photos[3].sha256`. */
  readonly field: string;
  /** `required`, `out_of_range`, …: new ones may come. */
  readonly code: string;
  readonly message: string;
}

/** Everything that this package throws, but for what an `AbortSignal` gives as its reason. */
export class PhotoServiceError extends Error {
  override name = 'PhotoServiceError';
}

/** The service answered, and refused. */
export class ApiError extends PhotoServiceError {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** A stable word such as `invalid_request` or `scope_required`; its meaning never changes. */
  readonly code: string;
  /** The details that belong to the code, such as `{ scope }` or `{ limit, used }`. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Names the request in the service's log; null when something in between answered. */
  readonly requestId: string | null;
  /** Seconds after which the same request may succeed; null when the service did not say. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    about: Pick<ApiError, 'status' | 'code' | 'details' | 'requestId' | 'retryAfter'>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = about.status;
    this.code = about.code;
    this.details = about.details;
    this.requestId = about.requestId;
    this.retryAfter = about.retryAfter;
  }

  /** The problems that `invalid_request` reports, by field; else empty. */
  get fields(): readonly FieldProblem[] {
    const { errors } = this.details;
    return Array.isArray(errors) ? (errors as FieldProblem[]) : [];
  }

  /** The scope that the key lacks, where that is the reason. */
  get missingScope(): string | null {
    const { scope } = this.details;
    return this.code === 'scope_required' && typeof scope === 'string' ? scope : null;
  }
}

/** The service did not answer, however often it was asked; `cause` is the last failure. */
export class ConnectionError extends PhotoServiceError {
  override name = 'ConnectionError';
}

/** Bytes arrived whose SHA-256 or length is not what was promised. What was read of them must not be used. */
export class ChecksumError extends PhotoServiceError {
  override name = 'ChecksumError';
}

/** A webhook request is not genuine, too old, or malformed. Answer it with 400 or 401 and do nothing. */
export class WebhookVerificationError extends PhotoServiceError {
  override name = 'WebhookVerificationError';
}

/** The error that an answer of 4xx or 5xx stands for. Its body may be anything: a proxy may have answered. */
export function errorOf(status: number, headers: Headers, body: string): ApiError {
  let error: Record<string, unknown> | undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value) && isObject(value['error'])) error = value['error'];
  } catch {
    // A proxy has answered.
  }
  const reason =
    typeof error?.message === 'string' ? error.message : `The server responded with ${status} without giving a reason.`;
  const errors = isObject(error?.details) ? error.details['errors'] : null;
  const fields: FieldProblem[] = Array.isArray(errors)
    ? errors.filter((each) => isObject(each) && typeof each['message'] === 'string')
    : [];
  const message = fields.length > 0 ? `${reason} ${fields.map((field) => field.message).join(' ')}` : reason;
  return new ApiError(message, {
    status,
    code: typeof error?.code === 'string' ? error.code : `http_${status}`,
    details: isObject(error?.details) ? error.details : {},
    requestId: typeof error?.requestId === 'string' ? error.requestId : headers.get('x-request-id'),
    retryAfter: secondsUntil(headers.get('retry-after')),
  });
}

/** `Retry-After` in seconds, given either as that or as a date (RFC 9110, 10.2.3). */
export function secondsUntil(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
