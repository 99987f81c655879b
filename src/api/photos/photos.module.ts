import { Module } from '@nestjs/common';
import { PhotoDownloadController, PhotoTagsController } from './photo-parts.controller.js';
import { PhotosController } from './photos.controller.js';

@Module({ controllers: [PhotosController, PhotoDownloadController, PhotoTagsController] })
export class PhotosModule {}
