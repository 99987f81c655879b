import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { OpenApiController } from './openapi.controller.js';

@Module({ controllers: [DocsController, OpenApiController] })
export class DocsModule {}
