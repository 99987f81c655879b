import { Module } from '@nestjs/common';
import { guarded } from '../guards/page-guards.js';
import { ShareFilesController, Visitors } from '../visitors/share.controller.js';
import { SharePagesController } from '../visitors/share-pages.controller.js';
import { VisitRecorder } from '../visitors/visit-recorder.js';
import { ShareSettingsController } from './shares.controller.js';

/** Links for visitors, and the area in which they are made. Files first: their paths are more precise. */
@Module({
  controllers: [ShareFilesController, SharePagesController, ...guarded([ShareSettingsController])],
  providers: [Visitors, VisitRecorder],
})
export class SharesModule {}
