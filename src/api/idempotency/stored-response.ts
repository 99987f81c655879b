import { DomainError, type ErrorCode } from '../../core/shared/errors.js';
import { Outcomes, Reply } from '../../http/responses/reply.js';

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

/** The stored form of what a handler has returned. */
export function storedResponseOf(
  answer: unknown,
  status: number,
  toStored: (body: object) => object,
): StoredHttpResponse {
  const reply = answer instanceof Reply ? answer : new Reply(status, answer as object | undefined);
  // Pages are strings; API responses never are.
  const body = reply.body as object | undefined;
  return {
    status: reply.status,
    headers: reply.headers,
    body: body && toStored(body),
    bulk: answer instanceof Outcomes,
  };
}

/** Returns what a handler would have returned. Errors: the stored one. */
export async function replyOf(
  stored: StoredHttpResponse,
  toBody: (body: object) => object | Promise<object>,
): Promise<Reply> {
  if ('error' in stored) throw new ReplayedError(stored);
  const { status, headers, body, bulk } = stored;
  if (bulk) return new Outcomes((body as Outcomes['body']).data);
  return new Reply(status, body && (await toBody(body)), headers);
}

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
