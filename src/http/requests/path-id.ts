import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { FieldError } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { headerOf } from '../server/headers.js';
import { MAX_IDS } from './parameters.js';

/** An id that no row has. */
const NO_ID: Id = 0;

/** An id in the path. An invalid id is treated like one that does not exist: the use case answers 404, after all other checks. */
export const PathId = createParamDecorator((name: string, context: ExecutionContext): Id => {
  return pathIdOf(context.switchToHttp().getRequest<Request>(), name);
});

export function pathIdOf({ params }: Request, name: string): Id {
  const text = params[name];
  return (typeof text === 'string' ? parseId(text) : null) ?? NO_ID;
}

const ID_LIST = Symbol('IdList');

/** Declares that `:id` in the path of a route may be a list. */
export const AcceptsIdList = () => SetMetadata(ID_LIST, true);

/** Errors of the list of ids of a request, if its route accepts one: too long, or with If-Match, which is about one resource. */
export function idListErrors(reflector: Reflector, context: ExecutionContext): FieldError[] {
  if (!reflector.get<true | undefined>(ID_LIST, context.getHandler())) return [];
  const request = context.switchToHttp().getRequest<Request>();
  const { texts, isList } = listIn(request.params['id']);
  if (texts.length > MAX_IDS) {
    const message = `The path can contain at most ${MAX_IDS} ids, separated by commas.`;
    return [{ field: 'id', code: 'too_many', message, max: MAX_IDS }];
  }
  // A list that contains anything else is treated like one id that does not exist.
  if (!isList || headerOf(request, 'if-match') === undefined || texts.some((text) => parseId(text) === null)) return [];
  return [{ field: 'If-Match', code: 'conflict', message: 'If-Match is not supported with a list of ids.' }];
}

function listIn(param: unknown): { readonly texts: readonly string[]; readonly isList: boolean } {
  const text = String(param ?? '');
  return { texts: text.replace(/^([^,]+),$/, '$1').split(','), isList: text.includes(',') };
}

/**
 * One id, or a list separated by commas, or one id followed by a comma. A list that contains anything else is treated like one id that does
 * not exist.
 */
export const PathIds = createParamDecorator((name: string, context: ExecutionContext): Id | readonly Id[] => {
  const { texts, isList } = listIn(context.switchToHttp().getRequest<Request>().params[name]);
  const ids = texts.map((text) => parseId(text) ?? NO_ID);
  if (!isList) return ids[0] ?? NO_ID;
  return ids.includes(NO_ID) ? NO_ID : ids;
});

export function isList(ids: Id | readonly Id[]): ids is readonly Id[] {
  return typeof ids !== 'number';
}
