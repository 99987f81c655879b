import { Module } from '@nestjs/common';
import { DeliveryController } from './delivery.controller.js';
import { RenditionsController } from './renditions.controller.js';
import { UploadsController } from './uploads.controller.js';

@Module({ controllers: [UploadsController, RenditionsController, DeliveryController] })
export class FilesModule {}
