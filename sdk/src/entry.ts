// The exports of `photo-service-sdk`. Nothing inside imports this file.
export type { components, paths } from './api-types.js';
export type { CallOptions, EditOptions, WriteOptions } from './calls.js';
export {
  type DeliveryKey,
  type ImageOptions,
  type ImageRequest,
  imageUrl,
  placeholder,
  type SrcSetRequest,
  srcSet,
} from './delivery.js';
export {
  ApiError,
  ChecksumError,
  ConnectionError,
  type FieldProblem,
  PhotoServiceError,
  WebhookVerificationError,
} from './errors.js';
export { type BlobToImport, blobSource } from './import/blob-source.js';
export type { ImportMemory, ImportState } from './import/import-state.js';
export { importUrls, type UrlImportOptions, type UrlToImport } from './import/import-urls.js';
export type { ImportFailure, ImportOptions, ImportProgress, ImportResult } from './import/run.js';
export { runImport } from './import/run-import.js';
export { FileProblem, type ImportSource, type UploadAnswer } from './import/source.js';
export type { FinalizeOptions, ItemQuery } from './imports.js';
export type { Listing, Page } from './listing.js';
export * from './operator-client.js';
export { PhotoService } from './photo-service.js';
export type { Download, DownloadOptions } from './photos.js';
export type * from './resources.js';
export type { EditedTag } from './tags.js';
export type { ConnectionOptions, Wait } from './transport.js';
export { type VerifyOptions, verifyWebhook, type WebhookEvent, type WebhookRequest } from './webhooks.js';
