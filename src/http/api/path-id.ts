import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type Id, parseId } from '../../core/shared/ids.js';

/** No row has it. */
const NO_ID: Id = 0;

/** An id in the path. One that cannot be an id is like any that does not exist: the use case answers 404, after all other checks. */
export const PathId = createParamDecorator((name: string, context: ExecutionContext): Id => {
  const text = context.switchToHttp().getRequest<Request>().params[name];
  return (typeof text === 'string' ? parseId(text) : null) ?? NO_ID;
});
