import { All, Controller, Inject, Module, Req } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Request } from 'express';
import { DomainError } from '../core/shared/errors.js';
import { RequireAnyKey } from '../http/access.js';
import { Reply } from '../http/responses/reply.js';
import { RouteTable } from '../http/route-table.js';

/** Handles everything that no other route of /api/v1 matches, so that it is authenticated and counted too. Registered last. */
@Controller('api/v1')
class UnknownRouteController {
  constructor(@Inject(RouteTable) private readonly table: RouteTable) {}

  @All(['', '{*path}'])
  @RequireAnyKey()
  answer(@Req() request: Request): Reply {
    return answerUnknownRoute(this.table, request);
  }
}

/** The methods of a path, for OPTIONS. Errors: `not_found`, `method_not_allowed`. */
export function answerUnknownRoute(table: RouteTable, request: Request): Reply {
  const methods = table.methodsAt(request.path);
  if (methods.length === 0) throw new DomainError('not_found', 'This path does not exist.');
  const allow = methods.join(', ');
  if (request.method === 'OPTIONS') return new Reply(204, undefined, { Allow: allow });
  request.res?.setHeader('Allow', allow);
  throw new DomainError('method_not_allowed', `${request.method} is not supported here. Allowed: ${allow}.`);
}

@Module({
  imports: [DiscoveryModule],
  controllers: [UnknownRouteController],
  providers: [RouteTable],
  exports: [RouteTable],
})
export class UnknownRouteModule {}
