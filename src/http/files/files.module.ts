import { Module } from '@nestjs/common';
import { RenditionsController } from './renditions.controller.js';
import { UploadsController } from './uploads.controller.js';

@Module({ controllers: [UploadsController, RenditionsController] })
export class FilesModule {}
