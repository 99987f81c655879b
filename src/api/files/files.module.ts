import { Module } from '@nestjs/common';
import { DeliveryController } from './delivery.controller.js';
import { RenditionsController } from './renditions.controller.js';
import { ResumableUploadsController, UploadsController } from './uploads.controller.js';

// Uploads by PUT come first: the other controller answers every method that is left.
@Module({ controllers: [UploadsController, ResumableUploadsController, RenditionsController, DeliveryController] })
export class FilesModule {}
