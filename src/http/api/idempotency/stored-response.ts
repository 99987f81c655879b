import { DomainError, type ErrorCode } from '../../../core/shared/errors.js';

/** The stored parts of a response. */
export type StoredHttpResponse =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string | number>>;
      /** Absent: the response has no body. */
      readonly body?: object | undefined;
      /** The body is that of `Outcomes`. */
      readonly bulk: boolean;
    }
  | { readonly requestId: string; readonly error: Pick<DomainError, 'code' | 'message' | 'details'> };

/** Errors that depend on the state of the library: to try again, clients use a new key. All others can be retried with the same one. */
const storedErrors: readonly ErrorCode[] = [
  'not_found',
  'tag_name_taken',
  'import_not_open',
  'import_photo_final',
  'uploads_incomplete',
  'limit_reached',
  'precondition_failed',
  'quota_exceeded',
  'no_photos_accepted',
];

/** The stored form of an error; null when the request may be retried under its key. */
export function storedErrorOf(thrown: unknown, requestId: string): StoredHttpResponse | null {
  if (!(thrown instanceof DomainError) || !storedErrors.includes(thrown.code)) return null;
  const { code, message, details } = thrown;
  return { requestId, error: { code, message, ...(details && { details }) } };
}

/** The error of an earlier request; its body contains that request's id. */
export class ReplayedError extends DomainError {
  readonly requestId: string;

  constructor({ requestId, error }: Extract<StoredHttpResponse, { error: unknown }>) {
    super(error.code, error.message, error.details);
    this.requestId = requestId;
  }
}
