import { defaultBudgets } from '../../core/access/rolling-window.js';
import { type Schema, text, whole } from './schema.js';

const { read, write, anonymous } = defaultBudgets;

/** Every header of answers that clients may rely on. */
export const headers = {
  'X-Request-Id': {
    description: 'Names this request. Quote it when you report a problem; it is in the log of the service too.',
    required: true,
    schema: text('`req_` and a ULID.', 'req_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C', { pattern: '^req_[0-9A-HJKMNP-TV-Z]{26}$' }),
  },
  'X-RateLimit-Limit': {
    description: `Requests that the budget of this request admits in any 60 seconds: by default ${read} reads and ${write} writes a key, ${anonymous} of an address without a valid key.`,
    required: true,
    schema: whole('Requests.', read, { minimum: 0 }),
  },
  'X-RateLimit-Remaining': {
    description: 'What is left of that budget after this request.',
    required: true,
    schema: whole('Requests.', read - 1, { minimum: 0 }),
  },
  'X-RateLimit-Reset': {
    description: 'When the whole budget is back if nothing more is sent.',
    required: true,
    schema: whole('Unix time in seconds, rounded up.', 1795230983, { minimum: 0 }),
  },
  'X-RateLimit-Resource': {
    description: 'Which budget it is: of the reads or the writes of this key, or of this source address.',
    required: true,
    schema: { type: 'string', enum: ['read', 'write', 'anonymous'], examples: ['read'] },
  },
  'Retry-After': {
    description:
      'Seconds to wait. On 429 exact: the next request then succeeds. On 503 and 409 a good time to try again; on an import that is at work, to look again.',
    schema: whole('Seconds.', 4, { minimum: 1 }),
  },
  'Cache-Control': {
    description: '`private, no-cache` on resources (ask again with `If-None-Match`), `no-store` on errors and `/me`.',
    schema: text('As RFC 9111 has it.', 'private, no-cache'),
  },
  ETag: {
    description: 'Strong: a hash of what a plain GET of this resource returns.',
    schema: text('In quotes.', '"d8b1f3c4a5e6978812345678900abcde"', { pattern: '^".+"$' }),
  },
  Location: {
    description: 'The path of what was made.',
    schema: text('A path under /api/v1.', '/api/v1/imports/7', { pattern: '^/api/v1/' }),
  },
  'Idempotent-Replayed': {
    description: '`true` when an earlier request with this Idempotency-Key was answered so, and nothing was done now.',
    schema: { type: 'string', const: 'true', examples: ['true'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer', examples: ['Bearer'] },
  },
  'Last-Modified': {
    description: 'When these bytes came to be as they are.',
    schema: text('As RFC 9110 §5.6.7 writes dates.', 'Sat, 21 Nov 2026 03:04:05 GMT'),
  },
  'Accept-Ranges': {
    description: 'A range of bytes can be asked for.',
    schema: { type: 'string', const: 'bytes', examples: ['bytes'] },
  },
  'Content-Range': {
    description: 'Which bytes these are; of a range that lies behind the end, how many there are.',
    required: true,
    schema: text('As RFC 9110 §14.4 writes it.', 'bytes 0-1023/25194033', {
      pattern: '^bytes ([0-9]+-[0-9]+|\\*)/[0-9]+$',
    }),
  },
  'Content-Disposition': {
    description: 'The name to save the file under (RFC 6266, RFC 8187).',
    schema: text('`attachment` or `inline`.', 'attachment; filename="DSC_3701.jpg"'),
  },
  'Repr-Digest': {
    description: 'SHA-256 of the whole original (RFC 9530).',
    schema: text('A structured field.', 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:', {
      pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$',
    }),
  },
  'Access-Control-Allow-Origin': {
    description: 'Pages of any origin may use signed addresses.',
    required: true,
    schema: { type: 'string', const: '*', examples: ['*'] },
  },
} as const satisfies Record<string, { description: string; required?: boolean; schema: Schema }>;

export type HeaderName = keyof typeof headers;

/** On every answer under /api/v1. */
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
