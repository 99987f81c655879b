import { progress } from '../../../core/imports/import.js';
import type { ImportDetails, ItemDetails } from '../../../core/imports/import-details.js';
import type { RegistrationResult, RegistrationResults } from '../../../core/imports/register-photos.js';
import type { UploadTarget } from '../../../core/imports/upload-target.js';
import { parseInstant } from '../../../core/media/capture-time.js';
import type { Page } from '../../../core/shared/pagination.js';
import { instant, optionalInstant } from '../../responses/wire.js';
import { locationView } from '../photos/photo.view.js';
import { listView, tagNameView } from '../tags/tag.view.js';

/** API.md §5.3. */
export function importView(subject: ImportDetails) {
  const { counts } = subject;
  return {
    id: subject.id,
    status: subject.status,
    name: subject.name,
    source: subject.source,
    clientRef: subject.clientRef,
    duplicatePolicy: subject.duplicatePolicy,
    restoreTrashed: subject.restoreTrashed,
    defaultTimeZone: subject.defaultTimeZone,
    tags: subject.tags.map(tagNameView),
    counts: {
      total: counts.total,
      awaitingUpload: counts.awaitingUpload,
      processing: counts.processing,
      ready: counts.ready,
      imported: counts.imported,
      duplicate: counts.duplicate,
      failed: counts.failed,
      cancelled: counts.cancelled,
    },
    totalBytes: subject.totalBytes,
    progress: progress(subject),
    apiKeyId: subject.apiKeyId,
    createdAt: instant(subject.createdAt),
    updatedAt: instant(subject.updatedAt),
    expiresAt: optionalInstant(subject.expiresAt),
    finalizedAt: optionalInstant(subject.finalizedAt),
    completedAt: optionalInstant(subject.completedAt),
    version: subject.version,
  };
}

/** API.md §5.4. */
export function importPhotoView(item: ItemDetails) {
  return {
    id: item.id,
    importId: item.importId,
    clientRef: item.clientRef,
    status: item.status,
    photoId: item.photoId,
    restored: item.restored,
    filename: item.filename,
    sizeBytes: item.sizeBytes,
    sha256: item.sha256,
    contentType: item.contentType,
    width: item.width,
    height: item.height,
    title: item.title,
    description: item.description,
    // Stored with the client's offset, which is the zone of the photo.
    takenAt: item.takenAt && optionalInstant(parseInstant(item.takenAt)),
    takenAtLocal: item.takenAtLocal,
    timeZone: item.timeZone,
    location: locationView(item.location),
    rating: item.rating,
    externalId: item.externalId,
    metadata: { ...item.metadata },
    tags: item.tags.map(tagNameView),
    error: item.error && { code: item.error.code, message: item.error.message },
    upload: item.upload && uploadView(item.upload),
    createdAt: instant(item.createdAt),
    updatedAt: instant(item.updatedAt),
  };
}

export function importWithPhotos(subject: ImportDetails, page: Page<ItemDetails>) {
  return { ...importView(subject), photos: listView(page, importPhotoView) };
}

export function registrationView({ results, import: subject }: RegistrationResults) {
  return { data: results.map(resultView), import: importView(subject) };
}

function resultView({ index, outcome, photo, error }: RegistrationResult) {
  return {
    index,
    outcome,
    photo: photo && importPhotoView(photo),
    error: error && { code: error.code, message: error.message },
  };
}

function uploadView({ method, url, headers, expiresAt }: UploadTarget) {
  return { method, url, headers: { ...headers }, expiresAt: instant(expiresAt) };
}
