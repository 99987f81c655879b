import { All, Controller, Inject, Req } from '@nestjs/common';
import type { Request } from 'express';
import { RequireAnyOperatorToken } from '../access.js';
import { answerUnknownRoute } from '../api/unknown-route/unknown-route.controller.js';
import type { Reply } from '../responses/reply.js';
import { RouteTable } from '../route-table.js';

/** Handles everything that no other route of /operator/v1 matches, so that it is authenticated and counted too. Registered last. */
@Controller('operator/v1')
export class UnknownOperatorRouteController {
  constructor(@Inject(RouteTable) private readonly table: RouteTable) {}

  @All(['', '{*path}'])
  @RequireAnyOperatorToken()
  answer(@Req() request: Request): Reply {
    return answerUnknownRoute(this.table, request);
  }
}
