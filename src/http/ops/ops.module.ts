import { type DynamicModule, Module } from '@nestjs/common';
import type { HttpOptions } from '../http-options.js';
import { HealthController } from './health.controller.js';
import { READINESS_CHECKS, Readiness, type ReadinessCheck } from './readiness.js';
import { RootController } from './root.controller.js';
import { SecurityTxtController } from './security-txt.controller.js';

export interface OpsOptions extends Pick<HttpOptions, 'securityContacts'> {
  /** Makes what says whether this process is ready for traffic, from the checks of what the ports rely on. */
  readiness(checks: readonly ReadinessCheck[]): Readiness;
}

@Module({})
export class OpsModule {
  /** A controller with nothing to serve is not registered: its path is as unknown as any other. */
  static with({ readiness, securityContacts = [] }: OpsOptions): DynamicModule {
    return {
      module: OpsModule,
      providers: [{ provide: Readiness, inject: [READINESS_CHECKS], useFactory: readiness }],
      controllers: [HealthController, RootController, ...(securityContacts.length > 0 ? [SecurityTxtController] : [])],
    };
  }
}
