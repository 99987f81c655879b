import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { CallHandlers } from './api/call-handlers.interceptor.js';
import { ErrorFilter } from './api/errors/error.filter.js';
import { IpGuard, KeyGuard, RateLimitGuard, ScopeGuard, throttlerOptions } from './api/guards.js';
import { ClaimLeases, IdempotentResponses } from './api/idempotency/idempotent-responses.js';
import { OperatorModule } from './api/operator/operator.module.js';
import { OpsModule, type OpsOptions } from './api/ops/ops.module.js';
import { ResourcesModule } from './api/resources.module.js';
import { UnknownRouteModule } from './api/unknown-route.module.js';
import { HTTP_OPTIONS, type HttpOptions, REQUEST_OBSERVERS, type RequestObservers } from './http/http-options.js';
import { portToken } from './http/ports-token.js';
import { ReadRequest } from './http/requests/read-request.js';
import { SendReply } from './http/responses/reply.js';
import { KeyUseRecorder, TrafficRecorder } from './http/server/recorders.js';
import { ERROR_PAGES, type ErrorPage } from './http/status-of-code.js';
import { DocsModule } from './pages/docs/docs.module.js';
import { errorPage } from './pages/page.js';
import { Navigation } from './pages/page-context.js';
import { SettingsModule } from './pages/pages.module.js';
import { SharesModule } from './pages/shares/shares.module.js';
import { shareErrorPage } from './pages/visitors/share.controller.js';

export type AppOptions = Omit<HttpOptions, keyof RequestObservers> & OpsOptions;

/**
 * The modules of the service. The order of the guards is the order of checks: the key (401), its IP list (403), its rate limit (429), its scope
 * (403). An address that failed the first two too often gets 429 from them. Pages have guards of their own (pages/guards/page-guards.tsx).
 */
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
  /** @param ports A global module that provides the ports, and what observes and checks them: `PortsModule.forRoot`. */
  static with(ports: DynamicModule, options: AppOptions): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [
        ports,
        DiscoveryModule,
        ThrottlerModule.forRootAsync({
          inject: [portToken('rateWindows'), portToken('clock')],
          useFactory: throttlerOptions,
        }),
        OpsModule.with(options),
        ...(options.docs === false ? [] : [DocsModule]),
        ...(options.operatorApi ? [OperatorModule.with(options)] : []),
      ],
      providers: [
        {
          provide: HTTP_OPTIONS,
          inject: [REQUEST_OBSERVERS],
          useFactory: (observers: RequestObservers): HttpOptions => ({ ...options, ...observers }),
        },
        KeyUseRecorder,
        TrafficRecorder,
        { provide: APP_GUARD, useClass: KeyGuard },
        { provide: APP_GUARD, useClass: IpGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: ScopeGuard },
        Navigation,
        ReadRequest,
        ClaimLeases,
        IdempotentResponses,
        SendReply,
        { provide: APP_INTERCEPTOR, useClass: CallHandlers },
        { provide: ERROR_PAGES, useValue: [shareErrorPage, errorPage] satisfies readonly ErrorPage[] },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
      exports: [HTTP_OPTIONS, KeyUseRecorder, TrafficRecorder, Navigation],
    };
  }
}
