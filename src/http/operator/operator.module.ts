import { type DynamicModule, Module } from '@nestjs/common';
import { UnknownRouteModule } from '../api/unknown-route/unknown-route.module.js';
import type { HttpOptions } from '../http-options.js';
import { OperatorOpenApiController } from './operator-openapi.controller.js';
import { OperatorResourcesModule } from './operator-resources.module.js';
import { UnknownOperatorRouteController } from './unknown-operator-route.controller.js';

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
