import { Module } from '@nestjs/common';
import { AccountController } from './account/account.controller.js';
import { ExportController } from './account/export.controller.js';
import { FactorPolicyController } from './account/factor-policy.controller.js';
import { FactorsController } from './account/factors.controller.js';
import { IdentitiesController } from './account/identities.controller.js';
import { LeavingController } from './account/leaving.controller.js';
import { NewPeopleController } from './account/new-people.controller.js';
import { PeopleController } from './account/people.controller.js';
import { RemoveFactorController } from './account/remove-factor.controller.js';
import { SettingsAddressesController } from './account/settings-addresses.controller.js';
import { AssetsController } from './assets.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { DeliveryKeysController } from './delivery/delivery-keys.controller.js';
import { PresetsController } from './delivery/presets.controller.js';
import { HistoryController } from './history/history.controller.js';
import { ImportController } from './imports/import.controller.js';
import { ImportsController } from './imports/imports.controller.js';
import { KeyDeletionController } from './keys/key-deletion.controller.js';
import { KeysController } from './keys/keys.controller.js';
import { LibraryController } from './library/library.controller.js';
import { LibraryScriptsController } from './library/library-scripts.controller.js';
import { PhotoController } from './library/photo.controller.js';
import { PhotoBytesController } from './library/photo-bytes.controller.js';
import { PhotoChangesController } from './library/photo-changes.controller.js';
import { SelectionController } from './library/selection.controller.js';
import { MapController } from './map/map.controller.js';
import { SearchesController } from './searches/searches.controller.js';
import { ShareSettingsController } from './shares/shares.controller.js';
import { VisitRecorder } from './shares/visit-recorder.js';
import { AccountsController } from './sign-in/accounts.controller.js';
import { CodeController } from './sign-in/code.controller.js';
import { ConfirmEmailController } from './sign-in/confirm-email.controller.js';
import { LinkController } from './sign-in/link.controller.js';
import { PasskeyQuestionsController } from './sign-in/passkey-questions.controller.js';
import { PasskeySignInController } from './sign-in/passkey-sign-in.controller.js';
import { ProviderController } from './sign-in/provider.controller.js';
import { RecoveryController } from './sign-in/recovery.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SimilarController } from './similar/similar.controller.js';
import { MergeTagsController } from './tags/merge-tags.controller.js';
import { TagPagesController } from './tags/tags.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { WebhookActsController } from './webhooks/webhook-acts.controller.js';
import { WebhookPagesController } from './webhooks/webhooks.controller.js';

/** Pages for people. Each area has a folder and a line here; its first page declares its entry in the navigation. */
@Module({
  controllers: [
    AssetsController,
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
    KeyDeletionController,
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
    FactorPolicyController,
    NewPeopleController,
    SettingsAddressesController,
    ExportController,
    LeavingController,
    LibraryController,
    LibraryScriptsController,
    SelectionController,
    HistoryController,
    PhotoController,
    PhotoChangesController,
    PhotoBytesController,
    SimilarController,
    SearchesController,
    MapController,
    ShareSettingsController,
    ImportController,
    ImportsController,
  ],
  providers: [VisitRecorder],
  exports: [VisitRecorder],
})
export class SettingsModule {}
