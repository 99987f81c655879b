import { Module } from '@nestjs/common';
import { PhotoDownloadController } from './photo-download.controller.js';
import { PhotoTagsController } from './photo-tags.controller.js';
import { PhotosController } from './photos.controller.js';

@Module({ controllers: [PhotosController, PhotoDownloadController, PhotoTagsController] })
export class PhotosModule {}
