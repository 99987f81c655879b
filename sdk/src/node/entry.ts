// What `photo-service-sdk/node` exports: what needs files and threads. Nothing inside imports this file.

export type { DeliveryKey, ImageRequest, SrcSetRequest } from '../delivery/image-address.js';
export type { ImageOptions } from '../delivery/image-options.js';
export { placeholder } from '../delivery/placeholder.js';
export { LeftOut, type LeftOutReason } from '../import/left-out.js';
export { type FileKind, HEAD_BYTES, kindOfFile, looksLikePhoto } from '../import/picture-types.js';
export { type DownloadedFile, type DownloadFileOptions, downloadFile } from './download-file.js';
export { removeStaleDrafts } from './draft-file.js';
export type { LocalFile } from './file-source.js';
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
export { imageUrl, srcSet } from './image-url.js';
export {
  type FileFailure,
  type FileImportOptions,
  type FileImportResult,
  importFiles,
  importFolder,
} from './import-files.js';
export { makeFolder } from './make-folder.js';
export type { Content } from './put-file.js';
export { SourceFactory } from './source-factory.js';
export { stateFile } from './state-file.js';
export type { StreamedFile } from './stream-source.js';
export { type UnpicOperations, type UnpicSettings, unpicTransformer } from './unpic-transformer.js';
export { writeWhole } from './write-whole.js';
