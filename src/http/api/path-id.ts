import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { invalid } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { MAX_IDS } from './parameters.js';

/** No row has it. */
const NO_ID: Id = 0;

/** An id in the path. One that cannot be an id is like any that does not exist: the use case answers 404, after all other checks. */
export const PathId = createParamDecorator((name: string, context: ExecutionContext): Id => {
  const text = context.switchToHttp().getRequest<Request>().params[name];
  return (typeof text === 'string' ? parseId(text) : null) ?? NO_ID;
});

/**
 * One id, or several with commas between them (API.md §7, 7 and 14). A list with anything else in it is like one id that does not
 * exist. Errors: `invalid_request` for a list that is too long, or comes with If-Match, which is about one resource.
 */
export const PathIds = createParamDecorator((name: string, context: ExecutionContext): Id | readonly Id[] => {
  const { params, headers } = context.switchToHttp().getRequest<Request>();
  const texts = String(params[name] ?? '').split(',');
  if (texts.length > MAX_IDS) {
    const message = `The path takes at most ${MAX_IDS} ids, separated by commas.`;
    throw invalid({ field: name, code: 'too_many', message, max: MAX_IDS });
  }
  const ids = texts.map((text) => parseId(text) ?? NO_ID);
  const [only = NO_ID, ...more] = ids;
  if (more.length === 0) return only;
  if (ids.includes(NO_ID)) return NO_ID;
  if (headers['if-match'] !== undefined) {
    const message = 'If-Match goes with one photo, not with a list of ids.';
    throw invalid({ field: 'If-Match', code: 'conflict', message });
  }
  return ids;
});

export function isList(ids: Id | readonly Id[]): ids is readonly Id[] {
  return typeof ids !== 'number';
}
