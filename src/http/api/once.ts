import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../../core/access/caller.js';
import type { Ports } from '../../core/ports.js';
import { requestContextOf } from '../request-context.js';

/**
 * Runs a use case that has exactly one transaction, and answers. For a request with an Idempotency-Key the answer is kept in
 * that transaction, so that whatever breaks, a repetition finds both the work and its answer, or neither. `answerTo` only
 * translates: it is called inside the transaction and once more behind it.
 */
export type RunOnce = <T>(act: (ports: Ports) => Promise<T>, answerTo: (result: T) => unknown) => Promise<unknown>;

export const Once = createParamDecorator((_: unknown, context: ExecutionContext): RunOnce => {
  const { once } = requestContextOf(context.switchToHttp().getRequest<Request>());
  if (!once) throw new Error('AnswerOnce has not seen this request');
  return once;
});

/** Answers without a body. */
export function nothing(): undefined {}

/** How the bodies of a route are kept when they hold secrets: only what is needed to show them anew. */
export interface Keeping<Body extends object, Kept extends object> {
  keep(body: Body): Kept;
  /** The body for whoever repeats the request, as things are now. */
  show(ports: Ports, caller: Caller, kept: Kept): Promise<Body>;
}

/** Where `KeptAs` leaves its word. */
export const KEEPING = Symbol('Keeping');

/** Without it, a body is kept as it is. */
export const KeptAs = <Body extends object, Kept extends object>(keeping: Keeping<Body, Kept>) =>
  SetMetadata(KEEPING, keeping);

/** Its types are those of the one route that it stands on. */
export type AnyKeeping = Keeping<object, object>;
