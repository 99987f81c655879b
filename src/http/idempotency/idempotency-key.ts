import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { MAX_IDEMPOTENCY_KEY } from '../../core/idempotency/idempotency-store.js';
import { canonical } from '../../core/shared/bytes.js';
import { invalid } from '../../core/shared/errors.js';
import { isStreamed } from '../requests/read-request.js';
import { headersOf } from '../server/headers.js';
import type { RequestContext } from '../server/request-context.js';

/** Between quotes (a string of RFC 9651 §3.3.3) `"` and `\` are escaped. */
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/;
/** Of the header: each character escaped, between quotes. */
export const MAX_QUOTED_KEY = 2 * MAX_IDEMPOTENCY_KEY + 2;

/** The `Idempotency-Key` of a request; null without one. Quoted and bare spellings are the same key. Errors: `invalid_request`. */
export function idempotencyKeyOf(request: Request): string | null {
  const sent = headersOf(request, 'idempotency-key');
  if (sent === undefined) return null;
  const [header = '', ...more] = sent;
  const key = QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(header)?.[0] ?? '';
  if (more.length === 0 && key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY) return key;
  const message = `Idempotency-Key must be 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters, optionally quoted.`;
  throw invalid({ field: 'Idempotency-Key', code: 'invalid_format', message });
}

/** As it is stored for a request of the operator: with a space, which no key of a client contains. */
export function operatorKey(key: string): string {
  return `operator ${key}`;
}

/**
 * What makes requests equal: method, path, query and body, as parsed by the route, so that neither the order of fields nor white space
 * matters. Of a streamed body only its values count: its files are identified by their hashes.
 */
export function fingerprintOf({ method, path }: Request, { parameters, body }: RequestContext): string {
  const values = isStreamed(body) ? body.inputs : body;
  return createHash('sha256')
    .update(canonical([method, path, parameters, values]))
    .digest('hex');
}
