import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
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
import { HTTP_OPTIONS, type HttpOptions, REQUEST_OBSERVERS, type RequestObservers } from './http/http-options.js';
import { ClaimLeases } from './http/idempotency/claim-leases.js';
import { IdempotentResponses } from './http/idempotency/idempotent-responses.js';
import { OperatorModule } from './http/operator/operator.module.js';
import { OpsModule, type OpsOptions } from './http/ops/ops.module.js';
import { portToken } from './http/ports-token.js';
import { ReadRequest } from './http/requests/read-request.js';
import { ResourcesModule } from './http/resources.module.js';
import { SendReply } from './http/responses/send-reply.js';
import { errorPage } from './http/settings/error-page.js';
import { Navigation } from './http/settings/navigation.js';
import { PersonGuard } from './http/settings/person.guard.js';
import { SettingsModule } from './http/settings/settings.module.js';
import { shareErrorPage } from './http/shares/share-error-page.js';
import { SharesModule } from './http/shares/shares.module.js';

export type AppOptions = Omit<HttpOptions, keyof RequestObservers> & OpsOptions;

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
        { provide: APP_GUARD, useClass: PersonGuard },
        ReadRequest,
        ClaimLeases,
        IdempotentResponses,
        SendReply,
        { provide: APP_INTERCEPTOR, useClass: CallHandlers },
        { provide: ERROR_PAGES, useValue: [shareErrorPage, errorPage] satisfies readonly ErrorPage[] },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
      exports: [HTTP_OPTIONS, KeyUseRecorder, TrafficRecorder],
    };
  }
}
