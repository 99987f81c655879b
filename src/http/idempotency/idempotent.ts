import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import type { StoreResponse } from '../../core/idempotency/idempotency-store.js';
import type { Ports } from '../../core/ports.js';
import { type RequestContext, RequestSlot, requestContextOf } from '../server/request-context.js';

/**
 * Runs a use case that has exactly one transaction, and responds. For a request with an Idempotency-Key the response is stored in that
 * transaction, so that whatever fails, a repetition finds both the work and its response, or neither. `answerTo` only translates: it is
 * called inside the transaction and once more after it. A transaction that is not one of `ports.store` is given `storeResponse`.
 */
export type RunIdempotently = <T>(
  act: (ports: Ports, storeResponse: StoreResponse<T>) => Promise<T>,
  answerTo: (result: T) => unknown,
) => Promise<unknown>;

/** How the handler of a request runs its work, set once the Idempotency-Key has been checked. */
export const idempotentRun = new RequestSlot<RunIdempotently>();

export const Idempotent = createParamDecorator((_: unknown, context: ExecutionContext): RunIdempotently => {
  const runIdempotently = idempotentRun.get(requestContextOf(context.switchToHttp().getRequest<Request>()));
  if (!runIdempotently) throw new Error('IdempotentResponses did not see this request');
  return runIdempotently;
});

/** Responds without a body. */
export function noBody(): undefined {}

/** How the bodies of a route are stored when they contain secrets: only what is needed to recreate them. */
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
