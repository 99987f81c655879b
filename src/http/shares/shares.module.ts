import { Module } from '@nestjs/common';
import { SettingsModule } from '../settings/settings.module.js';
import { ShareFilesController } from './share-files.controller.js';
import { SharePagesController } from './share-pages.controller.js';
import { Visitors } from './visitors.js';

/** Links for visitors. Files first: their paths are more precise. */
@Module({
  // It counts the visits.
  imports: [SettingsModule],
  controllers: [ShareFilesController, SharePagesController],
  providers: [Visitors],
})
export class SharesModule {}
