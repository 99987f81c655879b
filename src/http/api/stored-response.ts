import { DomainError, type ErrorCode } from '../../core/shared/errors.js';

/** What is kept of an answer (API.md §4.6). */
export type StoredHttpResponse =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string | number>>;
      /** Absent: the answer has no body. */
      readonly body?: object | undefined;
      /** The body is that of `Outcomes`. */
      readonly bulk: boolean;
    }
  | { readonly requestId: string; readonly error: Pick<DomainError, 'code' | 'message' | 'details'> };

/** Errors that come from looking at what there is: who wants another answer uses another key. All others can be tried again. */
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

/** What is kept of an error; null when the request may be tried again under its key. */
export function storedErrorOf(thrown: unknown, requestId: string): StoredHttpResponse | null {
  if (!(thrown instanceof DomainError) || !storedErrors.includes(thrown.code)) return null;
  const { code, message, details } = thrown;
  return { requestId, error: { code, message, ...(details && { details }) } };
}

/** An error that an earlier request was answered with; its body names that request. */
export class ReplayedError extends DomainError {
  readonly requestId: string;

  constructor({ requestId, error }: Extract<StoredHttpResponse, { error: unknown }>) {
    super(error.code, error.message, error.details);
    this.requestId = requestId;
  }
}
