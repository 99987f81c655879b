import { Module } from '@nestjs/common';
import { ShareFilesController } from './share-files.controller.js';
import { SharePagesController } from './share-pages.controller.js';
import { VisitRecorder } from './visit-recorder.js';
import { Visitors } from './visitors.js';

/** Links for visitors. Files first: their paths are more precise. */
@Module({
  controllers: [ShareFilesController, SharePagesController],
  providers: [Visitors, VisitRecorder],
  exports: [VisitRecorder],
})
export class SharesModule {}
