import { Module } from '@nestjs/common';
import { AccountController } from './account/account.controller.js';
import { ExportController } from './account/export.controller.js';
import { FactorsController, RemoveFactorController } from './account/factors.controller.js';
import { IdentitiesController } from './account/identities.controller.js';
import { LeavingController } from './account/leaving.controller.js';
import { PeopleController } from './account/people.controller.js';
import { SettingsAddressesController } from './account/settings-addresses.controller.js';
import { AssetsController } from './assets.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { DeliveryKeysController } from './delivery/delivery.controller.js';
import { PresetsController } from './delivery/presets.controller.js';
import { guarded } from './guards/page-guards.js';
import { HistoryController } from './history/history.controller.js';
import { ImportController } from './imports/import.controller.js';
import { ImportsController } from './imports/imports.controller.js';
import { KeysController } from './keys/keys.controller.js';
import { LibraryController } from './library/library.controller.js';
import { PhotoBytesController, PhotoChangesController, PhotoController } from './library/photo.controller.js';
import { SelectionController } from './library/selection.controller.js';
import { MapController } from './map/map.controller.js';
import { SearchesController } from './searches/searches.controller.js';
import { ConfirmEmailController, LinkController, RecoveryController } from './sign-in/links.controller.js';
import { ProviderController } from './sign-in/provider.controller.js';
import {
  AccountsController,
  CodeController,
  PasskeyQuestionsController,
  PasskeySignInController,
  SignInController,
} from './sign-in/sign-in.controller.js';
import { SimilarController } from './similar/similar.controller.js';
import { MergeTagsController, TagPagesController } from './tags/tags.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { WebhookActsController } from './webhooks/endpoint.controller.js';
import { WebhookPagesController } from './webhooks/webhooks.controller.js';

/** Pages for people. Each area has a folder and a line here; its first page declares its entry in the navigation. */
@Module({
  controllers: [
    AssetsController,
    ...guarded([
      SignInController,
      AccountsController,
      CodeController,
      ProviderController,
      LinkController,
      RecoveryController,
      ConfirmEmailController,
      MergeTagsController,
      TagPagesController,
      KeysController,
      WebhookPagesController,
      WebhookActsController,
      DeliveryKeysController,
      PresetsController,
      UsageController,
      AuditController,
      AccountController,
      PeopleController,
      FactorsController,
      IdentitiesController,
      RemoveFactorController,
      PasskeyQuestionsController,
      PasskeySignInController,
      SettingsAddressesController,
      ExportController,
      LeavingController,
      LibraryController,
      SelectionController,
      HistoryController,
      PhotoController,
      PhotoChangesController,
      PhotoBytesController,
      SimilarController,
      SearchesController,
      MapController,
      ImportController,
      ImportsController,
    ]),
  ],
})
export class SettingsModule {}
