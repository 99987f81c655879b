import { All, Controller, type DynamicModule, Get, Inject, Module, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NoKeyRequired, RequireAnyOperatorToken } from '../../http/access.js';
import type { HttpOptions } from '../../http/http-options.js';
import type { Reply } from '../../http/responses/reply.js';
import { sendMethods, sendPublic } from '../../http/responses/send-public.js';
import { RouteTable } from '../../http/route-table.js';
import { answerUnknownRoute, UnknownRouteModule } from '../unknown-route.module.js';
import { OperatorCustomersController } from './customers.controller.js';
import { OperatorErasureController } from './erasure.controller.js';
import { OperatorKeysController } from './keys.controller.js';
import { OperatorPeopleController } from './people.controller.js';
import { OperatorUsageController } from './usage.controller.js';
import { OperatorWebhooksController } from './webhooks.controller.js';

/** The resources of the operator API. Its OpenAPI document has what their controllers declare, in this order. */
@Module({
  controllers: [
    OperatorCustomersController,
    OperatorErasureController,
    OperatorKeysController,
    OperatorPeopleController,
    OperatorWebhooksController,
    OperatorUsageController,
  ],
})
export class OperatorResourcesModule {}

/** Handles everything that no other route of /operator/v1 matches, so that it is authenticated and counted too. Registered last. */
@Controller('operator/v1')
class UnknownOperatorRouteController {
  constructor(@Inject(RouteTable) private readonly table: RouteTable) {}

  @All(['', '{*path}'])
  @RequireAnyOperatorToken()
  answer(@Req() request: Request): Reply {
    return answerUnknownRoute(this.table, request);
  }
}

/** The contract of the operator API, for programs. */
@Controller('operator/openapi.json')
@NoKeyRequired()
class OperatorOpenApiController {
  @Get()
  show(@Req() request: Request, @Res() response: Response): void {
    sendPublic(request, response, 'openapi-operator.json');
  }

  @All()
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}

@Module({ imports: [UnknownRouteModule], controllers: [UnknownOperatorRouteController] })
class UnknownOperatorRouteModule {}

/** The operator API: without it, none of its paths exists. */
@Module({})
export class OperatorModule {
  static with({ docs }: Pick<HttpOptions, 'docs'>): DynamicModule {
    return {
      module: OperatorModule,
      // The last one handles what no other route matches.
      imports: [OperatorResourcesModule, UnknownOperatorRouteModule],
      controllers: docs === false ? [] : [OperatorOpenApiController],
    };
  }
}
