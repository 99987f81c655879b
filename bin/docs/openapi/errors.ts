import { apiHeaders, headerRefs, signedHeaders } from '../../../src/api/openapi/headers.js';
import {
  type ErrorCode,
  errorCodes,
  type FieldError,
  type FieldErrorCode,
  type ItemError,
  type ItemErrorCode,
} from '../../../src/core/shared/errors.js';
import { answer, listOf, oneOf, ref, type Schema, text, whole } from '../../../src/http/fields/declared.js';
import { retryAfter, statusOfCode } from '../../../src/http/status-of-code.js';

/** When a client meets each code, and what it can do. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'the path, query, headers or body are invalid; `details.errors` lists every error',
  invalid_cursor:
    'the cursor does not belong to this list with this sort order and these filters, or has expired: start again without it',
  unauthorized: 'the key is missing, malformed, unknown, deleted or expired',
  scope_required: 'the key does not have the scope in `details.scope`',
  ip_not_whitelisted: 'the key may not be used from this address, which the message names',
  account_suspended: 'the operator has suspended the account: it is read-only',
  quota_exceeded: 'the request would exceed a quota; `details` has `quota`, `limit`, `used` and `requested`',
  upload_forbidden: 'the upload URL is invalid or expired, or its key no longer exists: request a new URL',
  upload_in_progress:
    'a newer upload to the same item has begun, and only the newest is received; or another request is adding to the same resumable upload: ask for its offset',
  upload_offset_mismatch: 'the stored bytes end elsewhere; `details.offset` is where the next must begin',
  storage_full: 'the disk of this installation is nearly full: nothing is received until space is freed',
  request_timeout: 'the body arrived more slowly than 1 KB per second for 60 seconds',
  url_forbidden: 'the URL is invalid or expired: request a new one',
  not_found:
    'the resource does not exist, is in the trash, or belongs to another account; `details.resource` names its type',
  method_not_allowed: 'the path does not support this method; `Allow` lists those it does',
  tag_name_taken: 'another tag has this name, ignoring case; `details.tagId` is its id',
  import_not_open: 'the import no longer accepts files; `details.status` is its state',
  import_photo_final: 'the state of the item does not allow the change; `details` has `status` and `photoId`',
  uploads_incomplete:
    'some bytes have not arrived; `details.missing` counts the items, `details.sample` lists up to 20 of them',
  limit_reached: 'a limit is reached; `details` has `name` and `limit`',
  idempotency_in_progress: 'the first request with this `Idempotency-Key` is still running: retry after `Retry-After`',
  size_mismatch: 'fewer bytes arrived than declared: send them again',
  checksum_mismatch: 'the SHA-256 of the bytes is not the declared one: read the file again and resend it',
  precondition_failed:
    'the resource does not match `If-Match`, and `details.currentEtag` is its current ETag; or the version of tus is not supported',
  payload_too_large: 'the body exceeds the limit in `details.maxBytes`',
  unsupported_media_type: 'the media type of the body is not one of `details.accepted`',
  range_not_satisfiable: 'the range starts after the end of the file; `Content-Range` gives its length',
  no_photos_accepted:
    'every file in the batch was rejected and nothing was created; `details.results` gives the reason for each',
  idempotency_key_reused: 'this `Idempotency-Key` was used for a different request within the last 24 hours',
  rate_limited: 'the budget is used up: retry after `Retry-After`. This request was not counted',
  internal_error: 'an unexpected error in the service: quote the request id when you report it',
  service_unavailable:
    'a part of the service, such as the database or the object store, is temporarily unavailable: retry after `Retry-After`',
};

const fieldMeanings: Readonly<Record<FieldErrorCode, string>> = {
  required: 'the field is missing',
  unknown_field: 'the request has no such field',
  unknown_parameter: 'the endpoint has no such parameter',
  read_only: 'the field is read-only; the message says how to change it',
  invalid_type: 'the value has the wrong type, or was given more than once',
  invalid_format: 'the value has the right type but the wrong format',
  out_of_range: 'below `min` or above `max`',
  too_short: 'shorter than `min`',
  too_long: 'longer than `max`',
  too_many: 'more entries, or search words, than `max`',
  not_nullable: 'the field cannot be null',
  conflict: 'the value cannot be combined with another field, parameter or header of the request',
  unknown_tag: 'no tag has this id',
  invalid_json: 'the body is not JSON in UTF-8, or is nested too deeply',
};

const itemMeanings: Readonly<Record<ItemErrorCode, string>> = {
  invalid_request: 'a value of this item is invalid, such as its file name or the name of one of its tags',
  client_ref_conflict: 'another file is registered under this `clientRef`',
  file_too_large: 'the file is larger than `limits.maxFileBytes`',
  file_empty: 'the file is empty',
  unsupported_format: 'the file is an image or video of a type that is not in `formats`',
  not_an_image: 'the file is not an image',
  decode_failed: 'the image cannot be decoded',
  too_many_pixels: 'the image has more pixels than `limits.maxPixels`',
  size_mismatch: 'the size of the file is not the declared one',
  checksum_mismatch: 'the SHA-256 of the file is not the declared one',
  upload_missing: 'the import was finalized before the bytes arrived',
  quota_exceeded: 'the file would exceed the storage or photo quota of the account',
  limit_reached: 'a limit is reached',
  duplicate_source_gone: 'the photo with the same bytes was permanently deleted in the meantime: import the file again',
  duplicate_of_failed: 'an earlier file in this import has the same bytes, and failed',
  source_unreachable:
    'the file could not be fetched from its `sourceUrl`, in 5 tries or because of what the source responded',
  source_forbidden:
    'the `sourceUrl` leads to an address that is not public, or the source refused access (401, 403); or the API key ended first',
  source_not_found: 'the source has no such file (404, 410)',
  processing_failed: 'the service could not process the bytes for a day: import the file again',
};

/** @param scopes That a caller may lack. */
export const errorSchemas = (scopes: readonly string[]): Readonly<Record<string, Schema>> => ({
  Error: answer('The shape of every error.', {
    error: answer(
      'The error.',
      {
        code: oneOf<ErrorCode>(
          'A stable identifier to base your handling on. Each code always has the same HTTP status.',
          Object.fromEntries(
            errorCodes.map((code) => [code, `${statusOfCode[code]}, ${errorMeanings[code]}`]),
          ) as Record<ErrorCode, string>,
          { examples: ['invalid_request'] },
        ),
        message: text(
          'A message for people. The wording may change at any time.',
          'limit must be a whole number from 1 to 100.',
        ),
        details: ref('ErrorDetails'),
        requestId: text(
          'The `X-Request-Id` of the response. In a replayed response, that of the first request.',
          'req_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C',
        ),
      },
      { sometimes: ['details'] },
    ),
  }),
  ErrorDetails: {
    type: 'object',
    description: 'Additional information for programs. The fields depend on the code.',
    properties: {
      errors: listOf('Everything that is invalid (`invalid_request`), at most 100 entries.', ref('FieldError')),
      scope: {
        type: 'string',
        enum: [...scopes],
        description: 'The scope that the key does not have.',
      },
      quota: { type: 'string', enum: ['photos', 'storageBytes'], description: 'The quota that is exceeded.' },
      limit: whole('The maximum.', 100),
      used: whole('How much of the quota is used.', 100),
      requested: whole('How much more the request needs.', 2),
      name: text("The name of the limit, as in the customer's `limits`.", 'openImports'),
      resource: text('The type of the resource that does not exist.', 'photo'),
      tagId: {
        ...whole('The tag that has the name. Null if it has just been deleted.', 12),
        type: ['integer', 'null'],
      },
      status: text('The state that does not allow the change.', 'completed'),
      photoId: {
        ...whole('The photo that the item became or duplicates.', 90417),
        type: ['integer', 'null'],
      },
      missing: whole('The number of items without bytes.', 3, { minimum: 1 }),
      sample: listOf('Up to 20 of those items.', ref('Id'), { maxItems: 20 }),
      currentEtag: text('The current ETag of the resource.', '"d8b1f3c4a5e6978812345678900abcde"'),
      offset: whole('How many bytes of the file are stored.', 8388608, { minimum: 0 }),
      maxBytes: whole('The maximum size of the body in bytes.', 1048576),
      accepted: listOf('The media types that the endpoint accepts.', text('A media type.', 'application/json')),
      results: listOf('Why each file of the batch was rejected.', ref('RejectedPhoto')),
    },
  },
  FieldError: answer<FieldError>(
    'An error in one field or parameter.',
    {
      field: text('The path of the field in the body, or the name of the parameter or header.', 'photos[3].sha256'),
      code: oneOf<FieldErrorCode>('A stable identifier of the error.', fieldMeanings),
      message: text('A message for people.', 'photos[3].sha256 must be a string.'),
      min: { type: 'number', description: 'The smallest value allowed.', examples: [1] },
      max: { type: 'number', description: 'The largest value allowed.', examples: [100] },
    },
    { sometimes: ['min', 'max'] },
  ),
  ItemError: answer<ItemError>('Why one item of a request or import failed. The others are not affected.', {
    code: oneOf<ItemErrorCode>('A stable identifier of the error.', itemMeanings),
    message: text('A message for people.', 'The file is empty.'),
  }),
  RejectedPhoto: answer('A file in a batch of which none was accepted.', {
    index: whole('The position of the file in the request, starting at 0.', 0, { minimum: 0 }),
    outcome: { type: 'string', const: 'rejected', description: 'Always `rejected`.' },
    photo: { type: 'null', description: 'Always null: no item was created.' },
    error: ref('ItemError'),
  }),
});

/** Statuses whose answers are stored for whoever repeats the request with its Idempotency-Key. */
const REPLAYED_STATUSES = [403, 404, 409, 412, 422];

/** The error answers of one operation by status, each code at its own. Those that are alike are one component. */
export class ErrorResponses {
  readonly components: Record<string, object> = {};

  /** @param side Where the answers come from: the API, or a signed address outside it. */
  of(side: 'api' | 'signed', codes: readonly ErrorCode[]): Record<string, { $ref: string }> {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of errorCodes.filter((one) => codes.includes(one))) {
      byStatus.set(statusOfCode[code], [...(byStatus.get(statusOfCode[code]) ?? []), code]);
    }
    const refs = [...byStatus].map(([status, all]) => {
      const words = all.join('_or_').replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const name = `${side === 'signed' ? 'Signed' : ''}${words}`;
      this.components[name] ??= {
        description: all.map((code) => `\`${code}\`: ${errorMeanings[code]}.`).join('\n\n'),
        headers: headerRefs([
          ...(side === 'signed' ? signedHeaders : apiHeaders),
          ...(all.includes('unauthorized') ? (['WWW-Authenticate'] as const) : []),
          ...(all.includes('range_not_satisfiable') ? (['Content-Range'] as const) : []),
          ...(all.some((code) => code in retryAfter) ? (['Retry-After'] as const) : []),
          ...(side === 'api' && REPLAYED_STATUSES.includes(status) ? (['Idempotent-Replayed'] as const) : []),
        ]),
        content: {
          'application/json': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Error' },
                { properties: { error: { properties: { code: { enum: all } } } } },
              ],
            },
          },
        },
      };
      return [status, { $ref: `#/components/responses/${name}` }];
    });
    return Object.fromEntries(refs);
  }
}
