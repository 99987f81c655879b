import type { Scope } from '../../core/access/scope.js';
import { scopes } from '../../core/access/scope.js';
import {
  type ErrorCode,
  errorCodes,
  type FieldError,
  type FieldErrorCode,
  type ItemError,
  type ItemErrorCode,
} from '../../core/shared/errors.js';
import { statusOfCode } from '../errors/status-of-code.js';
import { apiHeaders, type HeaderName, headerRefs, signedHeaders } from './headers.js';
import { answer, listOf, oneOf, ref, type Schema, text, whole } from './schema.js';

/** When a client meets each code, and what it can do (API.md §4.4). */
const meanings: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'something in path, query, headers or body is wrong; `details.errors` lists everything',
  invalid_cursor:
    'the cursor does not belong to this list with this sort and these filters, or has outlived it: start again without',
  unauthorized: 'the key is missing, malformed, unknown, deleted or expired',
  scope_required: 'the key lacks the scope in `details.scope`',
  ip_not_whitelisted: 'the key may not be used from this address; the message names the address',
  account_suspended: 'the operator has suspended the account: it can be read, not changed',
  quota_exceeded:
    'nothing of the request fits into what the account may hold; `details` has `quota`, `limit`, `used` and `requested`',
  upload_forbidden: 'the upload address has expired, was never given, or its key is gone: ask for a fresh one',
  upload_in_progress: 'a newer upload to the same item has begun; only the newest is received',
  storage_full: 'the disk of this installation is nearly full: nothing is received until there is room',
  request_timeout: 'the body came more slowly than 1 KB a second for 60 seconds',
  url_forbidden: 'the address has expired or was never given: ask for a fresh one',
  not_found: 'it does not exist, is in the trash, or belongs to someone else; `details.resource` says what',
  method_not_allowed: 'the path exists, this method of it does not; `Allow` names those that do',
  tag_name_taken: 'a tag has this name, whatever its case; `details.tagId` is its id',
  import_not_open: 'the import takes nothing more; `details.status` says what it is',
  import_photo_final: 'the state of this item does not allow the change; `details` has `status` and `photoId`',
  uploads_incomplete: 'bytes are missing; `details.missing` counts them, `details.sample` names up to 20 items',
  limit_reached: 'a limit on how many there may be; `details` has `name` and `limit`',
  idempotency_in_progress: 'the first request with this Idempotency-Key is still at work: wait for `Retry-After`',
  size_mismatch: 'fewer bytes arrived than were declared: send them again',
  checksum_mismatch: 'the bytes that arrived do not have the declared SHA-256: read the file again, send it again',
  precondition_failed:
    'the resource is not in the state that `If-Match` names; `details.currentEtag` is that of its state now',
  payload_too_large: 'the body is over the limit in `details.maxBytes`',
  unsupported_media_type: 'the body is not of a type in `details.accepted`',
  range_not_satisfiable: 'the range lies behind the end of the file; `Content-Range` says how long it is',
  no_photos_accepted: 'every photo of the batch was rejected and nothing was made; `details.results` says why of each',
  idempotency_key_reused: 'this Idempotency-Key was used for another request within 24 hours',
  rate_limited: 'the budget is used up: wait for `Retry-After`. This request was not counted',
  internal_error: 'a fault of the service: quote the request id',
  service_unavailable:
    'the database, the store or something else is away for the moment: try again after `Retry-After`',
};

const fieldMeanings: Readonly<Record<FieldErrorCode, string>> = {
  required: 'it is missing',
  unknown_field: 'the request has no such field',
  unknown_parameter: 'the endpoint has no such parameter',
  read_only: 'it can be read, not written; the message says what changes it',
  invalid_type: 'it is of another type, or was given twice',
  invalid_format: 'the type is right, the form is not',
  out_of_range: 'below `min` or above `max`',
  too_short: 'shorter than `min`',
  too_long: 'longer than `max`',
  too_many: 'more entries, or words of a search, than `max`',
  not_nullable: 'null, where null means nothing',
  conflict: 'it does not go with another field, parameter or header of the request',
  unknown_tag: 'there is no tag of this id',
  invalid_json: 'no JSON in UTF-8, or nested too deep',
};

const itemMeanings: Readonly<Record<ItemErrorCode, string>> = {
  invalid_request: 'a value that only this item gets wrong, such as its file name or the name of one of its tags',
  client_ref_conflict: 'another file was registered under this `clientRef`',
  file_too_large: 'more bytes than `limits.maxFileBytes`',
  file_empty: 'no bytes',
  unsupported_format: 'a picture or video of a type that is not in `formats`',
  not_an_image: 'the bytes are no picture',
  decode_failed: 'the picture cannot be read',
  too_many_pixels: 'more pixels than `limits.maxPixels`',
  size_mismatch: 'the bytes are fewer or more than declared',
  checksum_mismatch: 'the bytes do not have the declared SHA-256',
  upload_missing: 'the import was finalized before the bytes came',
  quota_exceeded: 'it does not fit into what the account may hold',
  limit_reached: 'a limit on how many there may be',
  duplicate_source_gone: 'the photo whose bytes these are was deleted for ever meanwhile: import it again',
  duplicate_of_failed: 'an earlier file of this import has the same bytes, and failed',
  processing_failed: 'the service could not get at the bytes for a day: import it again',
};

export const errorSchemas: Readonly<Record<string, Schema>> = {
  Error: answer('Every error has this shape.', {
    error: answer(
      'What went wrong.',
      {
        code: oneOf<ErrorCode>(
          'The stable name of the error: decide by it. Its status never changes.',
          Object.fromEntries(errorCodes.map((code) => [code, `${statusOfCode[code]}, ${meanings[code]}`])) as Record<
            ErrorCode,
            string
          >,
          { examples: ['invalid_request'] },
        ),
        message: text('For people; may change at any time.', 'limit must be a whole number from 1 to 100.'),
        details: ref('ErrorDetails'),
        requestId: text(
          'The `X-Request-Id` of the answer; of one that is replayed, that of the first request.',
          'req_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C',
        ),
      },
      { sometimes: ['details'] },
    ),
  }),
  ErrorDetails: {
    type: 'object',
    description: 'What a program can use of an error; which fields there are depends on its code.',
    properties: {
      errors: listOf('Everything that is wrong (`invalid_request`), at most 100.', ref('FieldError')),
      scope: { type: 'string', enum: [...scopes] satisfies Scope[], description: 'The scope that the key lacks.' },
      quota: { type: 'string', enum: ['photos', 'storageBytes'], description: 'Which quota is full.' },
      limit: whole('The most that there may be.', 100),
      used: whole('What is used of the quota.', 100),
      requested: whole('What would have been needed beside it.', 2),
      name: text('The name of the limit, as in `limits` of the customer.', 'openImports'),
      resource: text('What does not exist.', 'photo'),
      tagId: {
        ...whole('The tag that has the name; null when it has just gone.', 12),
        type: ['integer', 'null'],
      },
      status: text('The state that does not allow it.', 'completed'),
      photoId: {
        ...whole('The photo that the item has become, or is a duplicate of.', 90417),
        type: ['integer', 'null'],
      },
      missing: whole('Items without bytes.', 3, { minimum: 1 }),
      sample: listOf('Up to 20 of those items.', ref('Id'), { maxItems: 20 }),
      currentEtag: text('The ETag of the resource as it is now.', '"d8b1f3c4a5e6978812345678900abcde"'),
      maxBytes: whole('The most bytes that the body may have.', 1048576),
      accepted: listOf('Media types of bodies that the endpoint takes.', text('A media type.', 'application/json')),
      results: listOf('Of each photo of the batch, why it was rejected.', ref('RejectedPhoto')),
    },
  },
  FieldError: answer<FieldError>(
    'What is wrong with one field or parameter.',
    {
      field: text('Path in the body, or name of the parameter or header.', 'photos[3].sha256'),
      code: oneOf<FieldErrorCode>('The stable name of the fault.', fieldMeanings),
      message: text('For people.', 'photos[3].sha256 must be a string.'),
      min: { type: 'number', description: 'The least that is possible.', examples: [1] },
      max: { type: 'number', description: 'The most that is possible.', examples: [100] },
    },
    { sometimes: ['min', 'max'] },
  ),
  ItemError: answer<ItemError>('Why one item of a request or import came to nothing. The others go on.', {
    code: oneOf<ItemErrorCode>('The stable name of the fault.', itemMeanings),
    message: text('For people.', 'The file is empty.'),
  }),
  RejectedPhoto: answer('One photo of a batch of which none was accepted.', {
    index: whole('Its place in the request, from 0.', 0, { minimum: 0 }),
    outcome: { type: 'string', const: 'rejected', description: 'Always this.' },
    photo: { type: 'null', description: 'Nothing was made.' },
    error: ref('ItemError'),
  }),
};

/** Where an answer comes from: the API, or a signed address outside it. */
export type Side = 'api' | 'signed';

/** Headers that only answers with some codes have. */
const extraHeaders: Readonly<Partial<Record<ErrorCode, HeaderName>>> = {
  unauthorized: 'WWW-Authenticate',
  rate_limited: 'Retry-After',
  service_unavailable: 'Retry-After',
  storage_full: 'Retry-After',
  request_timeout: 'Retry-After',
  idempotency_in_progress: 'Retry-After',
  range_not_satisfiable: 'Content-Range',
};

/** Statuses whose answers are kept for whoever repeats the request with its Idempotency-Key. */
const kept = [403, 404, 409, 412, 422];

/** The error answers of one operation by status, each code at its own. Those that are alike are one component. */
export class ErrorResponses {
  readonly components: Record<string, object> = {};

  of(side: Side, codes: readonly ErrorCode[]): Record<string, { $ref: string }> {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of errorCodes.filter((one) => codes.includes(one))) {
      byStatus.set(statusOfCode[code], [...(byStatus.get(statusOfCode[code]) ?? []), code]);
    }
    return Object.fromEntries([...byStatus].map(([status, all]) => [status, this.component(side, status, all)]));
  }

  private component(side: Side, status: number, codes: readonly ErrorCode[]): { $ref: string } {
    const name = `${side === 'signed' ? 'Signed' : ''}${codes.map(pascal).join('Or')}`;
    this.components[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${meanings[code]}.`).join('\n\n'),
      headers: headerRefs([
        ...(side === 'signed' ? signedHeaders : apiHeaders),
        ...codes.flatMap((code) => extraHeaders[code] ?? []),
        ...(side === 'api' && kept.includes(status) ? (['Idempotent-Replayed'] as const) : []),
      ]),
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Error' },
              { properties: { error: { properties: { code: { enum: codes } } } } },
            ],
          },
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }
}

function pascal(code: string): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
