import { Module } from '@nestjs/common';
import { SettingsModule } from '../pages.module.js';
import { ShareFilesController, SharePagesController, Visitors } from './share.controller.js';

/** Links for visitors. Files first: their paths are more precise. */
@Module({
  // It counts the visits.
  imports: [SettingsModule],
  controllers: [ShareFilesController, SharePagesController],
  providers: [Visitors],
})
export class SharesModule {}
