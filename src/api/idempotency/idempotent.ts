import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import { MAX_IDEMPOTENCY_KEY } from '../../core/idempotency/idempotency-store.js';
import type { Ports } from '../../core/ports.js';
import { invalid } from '../../core/shared/errors.js';
import { canonical } from '../../core/shared/text.js';
import { isStreamed } from '../../http/requests/read-request.js';
import { headersOf } from '../../http/server/headers.js';
import { type RequestContext, RequestSlot, requestContextOf } from '../../http/server/request-context.js';

/**
 * Runs a use case that has exactly one transaction, and responds. For a request with an Idempotency-Key the response is stored in that
 * transaction, so that whatever fails, a repetition finds both the work and its response, or neither. `answerTo` only translates: it is
 * called inside the transaction and once more after it.
 */
export type RunIdempotently = <T>(
  act: (ports: Ports) => Promise<T>,
  answerTo: (result: T) => unknown,
) => Promise<unknown>;

/** The function by which the handler of a request runs its work, set once the Idempotency-Key has been checked. */
export const idempotentRun = new RequestSlot<RunIdempotently>();

export const Idempotent = createParamDecorator((_: unknown, context: ExecutionContext): RunIdempotently => {
  const runIdempotently = idempotentRun.get(requestContextOf(context.switchToHttp().getRequest<Request>()));
  if (!runIdempotently) throw new Error('IdempotentResponses did not see this request');
  return runIdempotently;
});

/** Responds without a body. */
export function noBody(): undefined {}

/** The form in which bodies of a route are stored when they contain secrets: only what is needed to recreate them. */
export interface StoredBodyFormat<Body extends object, Stored extends object> {
  toStored(body: Body, ports: Ports): Stored;
  /** The body for a repeated request, in the current state. */
  toBody(ports: Ports, requestContext: RequestContext, stored: Stored): Promise<Body>;
}

/** Metadata key of `StoreBodyAs`. */
export const STORED_BODY_FORMAT = Symbol('StoredBodyFormat');

/** Without it, a body is stored unchanged. */
export const StoreBodyAs = <Body extends object, Stored extends object>(format: StoredBodyFormat<Body, Stored>) =>
  SetMetadata(STORED_BODY_FORMAT, format);

/** Metadata key of `RepeatableByItself`. */
export const REPEATABLE = Symbol('RepeatableByItself');

/** The handler takes care of its Idempotency-Key, or does not need it: a repeated request gets the same response anyway. */
export const RepeatableByItself = () => SetMetadata(REPEATABLE, true);

/** Its types are those of the one route that it decorates. */
export type AnyStoredBodyFormat = StoredBodyFormat<object, object>;

/** Between quotes (a string of RFC 9651 §3.3.3) `"` and `\` are escaped. */
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/;
/** Length of the header: each character escaped, between quotes. */
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

/** Returns the key as it is stored for a request of the operator: with a space, which no key of a client contains. */
export function operatorKey(key: string): string {
  return `operator ${key}`;
}

/**
 * Returns a hash of what makes requests equal: method, path, query and body, as parsed by the route, so that neither the order of fields nor white
 * space matters. Of a streamed body only its values count: its files are identified by their hashes.
 */
export function fingerprintOf({ method, path }: Request, { parameters, body }: RequestContext): string {
  const values = isStreamed(body) ? body.inputs : body;
  return createHash('sha256')
    .update(canonical([method, path, parameters, values]))
    .digest('hex');
}
