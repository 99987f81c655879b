import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import type { Ports } from './core/ports.js';
import { UnknownRouteModule } from './http/api/unknown-route/unknown-route.module.js';
import { CallHandlers } from './http/call-handlers.interceptor.js';
import { DocsModule } from './http/docs/docs.module.js';
import { ERROR_PAGES, ErrorFilter, type ErrorPage } from './http/errors/error.filter.js';
import { IpGuard } from './http/guards/ip.guard.js';
import { KeyGuard } from './http/guards/key.guard.js';
import { KeyUseRecorder } from './http/guards/key-use-recorder.js';
import { RateLimitGuard, throttlerOptions } from './http/guards/rate-limit.guard.js';
import { ScopeGuard } from './http/guards/scope.guard.js';
import { TrafficRecorder } from './http/guards/traffic-recorder.js';
import { HTTP_OPTIONS, type HttpOptions } from './http/http-options.js';
import { ClaimLeases } from './http/idempotency/claim-leases.js';
import { IdempotentResponses } from './http/idempotency/idempotent-responses.js';
import { OperatorModule } from './http/operator/operator.module.js';
import { OpsModule, type OpsOptions } from './http/ops/ops.module.js';
import { portProviders, portToken } from './http/ports-token.js';
import { ReadRequest } from './http/requests/read-request.js';
import { ResourcesModule } from './http/resources.module.js';
import { SendReply } from './http/responses/send-reply.js';
import { errorPage } from './http/settings/error-page.js';
import { Navigation } from './http/settings/navigation.js';
import { PersonGuard } from './http/settings/person.guard.js';
import { SettingsModule } from './http/settings/settings.module.js';
import { shareErrorPage } from './http/shares/share-error-page.js';
import { SharesModule } from './http/shares/shares.module.js';

/** The modules of the service. The order of the guards is the order of checks (docs/architecture.md). */
@Module({
  imports: [
    ResourcesModule,
    SettingsModule,
    SharesModule,
    // Last: it handles what no other route matches.
    UnknownRouteModule,
  ],
})
export class AppModule {
  static with(ports: Ports, options: HttpOptions & OpsOptions): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [
        DiscoveryModule,
        ThrottlerModule.forRootAsync({ inject: [portToken('rateWindows')], useFactory: throttlerOptions }),
        OpsModule.with(options),
        ...(options.docs === false ? [] : [DocsModule]),
        ...(options.operatorApi ? [OperatorModule.with(options)] : []),
      ],
      providers: [
        ...portProviders(ports),
        { provide: HTTP_OPTIONS, useValue: options },
        KeyUseRecorder,
        TrafficRecorder,
        { provide: APP_GUARD, useClass: KeyGuard },
        { provide: APP_GUARD, useClass: IpGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: ScopeGuard },
        Navigation,
        { provide: APP_GUARD, useClass: PersonGuard },
        ReadRequest,
        ClaimLeases,
        IdempotentResponses,
        SendReply,
        { provide: APP_INTERCEPTOR, useClass: CallHandlers },
        { provide: ERROR_PAGES, useValue: [shareErrorPage, errorPage] satisfies readonly ErrorPage[] },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
      exports: [...portProviders(ports), HTTP_OPTIONS, KeyUseRecorder, TrafficRecorder],
    };
  }
}
