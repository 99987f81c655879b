import { defaultBudgets } from '../../core/access/rolling-window.js';
import { operatorBudgets } from '../../core/operators/operator-token.js';
import { type Schema, text, whole } from '../../http/fields/declared.js';

const { read, write, anonymous } = defaultBudgets;

export const headers = {
  'X-Request-Id': {
    description:
      'The unique identifier of the request, which the service also logs. Quote it when you report a problem.',
    required: true,
    schema: text('`req_` followed by a ULID.', 'req_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C', {
      pattern: '^req_[0-9A-HJKMNP-TV-Z]{26}$',
    }),
  },
  'X-RateLimit-Limit': {
    description: `The number of requests allowed in any 60 seconds: by default ${read} reads and ${write} writes for a key, ${anonymous} for an address without a valid key.`,
    required: true,
    schema: whole('A number of requests.', read, { minimum: 0 }),
  },
  'X-RateLimit-Remaining': {
    description: 'The number of requests left after this one.',
    required: true,
    schema: whole('A number of requests.', read - 1, { minimum: 0 }),
  },
  'X-RateLimit-Reset': {
    description: 'When the whole budget will be available if no more requests are sent.',
    required: true,
    schema: whole('Unix time in seconds, rounded up.', 1795230983, { minimum: 0 }),
  },
  'X-RateLimit-Resource': {
    description: 'The budget that this request counts against: the reads or writes of the key, or the source address.',
    required: true,
    schema: { type: 'string', enum: ['read', 'write', 'anonymous'], examples: ['read'] },
  },
  'Retry-After': {
    description:
      'How long to wait, in seconds. On 429, the next request after this time succeeds. On 503 and 409, a good time to retry. On an import that is being processed, a good time to poll again.',
    schema: whole('Seconds.', 4, { minimum: 1 }),
  },
  'Cache-Control': {
    description:
      '`private, no-cache` on resources (revalidate with `If-None-Match`), `no-store` on errors, on `/me`, and on responses with a new token, secret or link.',
    schema: text('In the syntax of RFC 9111.', 'private, no-cache'),
  },
  ETag: {
    description: 'A strong validator: a hash of what a plain GET of this resource returns.',
    schema: text('A quoted string.', '"d8b1f3c4a5e6978812345678900abcde"', { pattern: '^".+"$' }),
  },
  Location: location('/api/v1/', 'imports/7'),
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true', examples: ['true'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer', examples: ['Bearer'] },
  },
  'Last-Modified': {
    description: 'When the bytes were last changed.',
    schema: text('In the date format of RFC 9110 §5.6.7.', 'Sat, 21 Nov 2026 03:04:05 GMT'),
  },
  'Accept-Ranges': {
    description: 'Byte ranges are supported.',
    schema: { type: 'string', const: 'bytes', examples: ['bytes'] },
  },
  'Content-Range': {
    description: 'The range that this response contains. On 416, the length of the file.',
    required: true,
    schema: text('In the syntax of RFC 9110 §14.4.', 'bytes 0-1023/25194033', {
      pattern: '^bytes ([0-9]+-[0-9]+|\\*)/[0-9]+$',
    }),
  },
  'Content-Disposition': {
    description: 'The file name to save as (RFC 6266, RFC 8187).',
    schema: text('`attachment` or `inline`.', 'attachment; filename="DSC_3701.jpg"'),
  },
  'Repr-Digest': {
    description: 'The SHA-256 of the complete original (RFC 9530).',
    schema: text('A structured field.', 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:', {
      pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$',
    }),
  },
  'Cache-Tag': {
    description: 'By which caches that support it can remove everything that shows a photo.',
    schema: text('`photo-` followed by the id of the photo.', 'photo-90417', { pattern: '^photo-[0-9]+$' }),
  },
  'Upload-Offset': {
    description: 'How many bytes of the file have arrived and are stored.',
    required: true,
    schema: whole('A number of bytes.', 8388608, { minimum: 0 }),
  },
  'Upload-Length': {
    description: 'The size of the whole file.',
    required: true,
    schema: whole('A number of bytes.', 25194033, { minimum: 1 }),
  },
  'Upload-Expires': {
    description: 'When this URL expires. A new one of the same item continues the upload.',
    required: true,
    schema: text('In the date format of RFC 9110 §5.6.7.', 'Sat, 21 Nov 2026 09:04:05 GMT'),
  },
  'Access-Control-Allow-Origin': {
    description: 'Pages of any origin may use signed URLs.',
    required: true,
    schema: { type: 'string', const: '*', examples: ['*'] },
  },
} as const satisfies Record<string, { description: string; required?: boolean; schema: Schema }>;

export type HeaderName = keyof typeof headers;

/** The headers of the operator API, where they differ. */
export const operatorHeaders = {
  ...pick(
    'X-Request-Id',
    'X-RateLimit-Reset',
    'X-RateLimit-Remaining',
    'Retry-After',
    'Cache-Control',
    'ETag',
    'Idempotent-Replayed',
    'WWW-Authenticate',
    'Content-Disposition',
  ),
  'X-RateLimit-Limit': {
    ...headers['X-RateLimit-Limit'],
    description: `The number of requests allowed in any 60 seconds: ${operatorBudgets.read} reads and ${operatorBudgets.write} writes for a token, ${anonymous} for an address without a valid token.`,
  },
  'X-RateLimit-Resource': {
    ...headers['X-RateLimit-Resource'],
    description:
      'The budget that this request counts against: the reads or writes of the token, or the source address.',
  },
  Location: location('/operator/v1/', 'customers/1'),
};

function location(root: string, example: string) {
  const below = `A path under ${root.slice(0, -1)}, which follows the path of PUBLIC_URL if that has one.`;
  const schema = text(below, `${root}${example}`, { pattern: root });
  return { description: 'The path of the created resource.', schema };
}

function pick<Name extends HeaderName>(...names: readonly Name[]): Pick<typeof headers, Name> {
  return Object.fromEntries(names.map((name) => [name, headers[name]])) as Pick<typeof headers, Name>;
}

/** On every answer of either API. */
export const apiHeaders: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Resource',
  'Cache-Control',
];

/** On every answer of a signed address. */
export const signedHeaders: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Access-Control-Allow-Origin'];

export function headerRefs(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries([...new Set(names)].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
