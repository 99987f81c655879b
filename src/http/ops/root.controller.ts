import { Controller, Get, Req } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../core/shared/errors.js';
import { NoKeyRequired } from '../access.js';
import { Reply } from '../responses/reply.js';
import { prefersHtml } from '../server/for-programs.js';

/** For people who enter only the host name. */
@Controller()
@NoKeyRequired()
export class RootController {
  @Get()
  show(@Req() request: Request): Reply {
    if (!prefersHtml(request)) throw new DomainError('not_found', 'This path does not exist.');
    return new Reply(303, undefined, { Location: '/settings', Vary: 'Accept', 'Cache-Control': 'no-store' });
  }
}
