import { Module } from '@nestjs/common';
import { ImportPhotosController } from './import-photos.controller.js';
import { ImportsController } from './imports.controller.js';

@Module({ controllers: [ImportsController, ImportPhotosController] })
export class ImportsModule {}
