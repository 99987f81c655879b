// What `photo-service-sdk/node` exports: what needs files and threads. Nothing inside imports this file.
export { type DownloadedFile, type DownloadFileOptions, downloadFile } from './download-file.js';
export { removeStaleDrafts } from './draft-file.js';
export {
  type FileFailure,
  type FileImportOptions,
  type FileImportResult,
  importFiles,
  importFolder,
} from './import-files.js';
export { makeFolder } from './make-folder.js';
export { stateFile } from './state-file.js';
export { writeWhole } from './write-whole.js';
