import { type DynamicModule, Module } from '@nestjs/common';
import type { HttpOptions } from '../http-options.js';
import { HealthController } from './health.controller.js';
import { RootController } from './root.controller.js';
import { SecurityTxtController } from './security-txt.controller.js';

@Module({})
export class OpsModule {
  /** A controller with nothing to serve is not registered: its path is as unknown as any other. */
  static with({ securityContacts = [] }: Pick<HttpOptions, 'securityContacts'>): DynamicModule {
    return {
      module: OpsModule,
      controllers: [HealthController, RootController, ...(securityContacts.length > 0 ? [SecurityTxtController] : [])],
    };
  }
}
