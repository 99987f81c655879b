// What `photo-service-sdk/node` exports: what needs files and threads. Nothing inside imports this file.

export {
  type DeliveryKey,
  type ImageOptions,
  type ImageRequest,
  placeholder,
  type SrcSetRequest,
} from '../delivery.js';
export { type FileKind, HEAD_BYTES, kindOfFile, looksLikePhoto } from '../import/picture-types.js';
export { type DownloadedFile, type DownloadFileOptions, downloadFile } from './download-file.js';
export {
  type FindOptions,
  type FoundFile,
  type FoundFiles,
  findPhotos,
  type LeftOutFile,
  type UnreadableFile,
  type UnsupportedFile,
} from './find-photos.js';
export { unreadable } from './hash-pool.js';
export { imageUrl, srcSet, type UnpicOperations, type UnpicSettings, unpicTransformer } from './image-url.js';
export {
  type FileFailure,
  type FileImportOptions,
  type FileImportResult,
  importFiles,
  importFolder,
  stateFile,
} from './import-files.js';
export { LeftOut, type LeftOutReason } from './left-out.js';
export { makeFolder } from './make-folder.js';
export { type Content, type LocalFile, SourceFactory, type StreamedFile } from './source-factory.js';
export { removeStaleDrafts, writeWhole } from './whole-files.js';
