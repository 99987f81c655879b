// The exports of `photo-service-uploader`, which defines <photo-upload>.
import { PhotoUploadElement } from './photo-upload.js';

export type {
  AnnouncedFile,
  FinishAnswer,
  FinishUploads,
  Refusal,
  RequestUploads,
  UploadsAnswer,
  UploadsQuestion,
  UploadTarget,
} from './backend.js';
export { PhotoUploadElement, type UploadProgress } from './photo-upload.js';
export type { Upload, UploadStatus } from './uploads.js';
export type { UploadTexts } from './view.js';

declare global {
  interface HTMLElementTagNameMap {
    'photo-upload': PhotoUploadElement;
  }
}

if (globalThis.customElements && !customElements.get('photo-upload')) {
  customElements.define('photo-upload', PhotoUploadElement);
}
