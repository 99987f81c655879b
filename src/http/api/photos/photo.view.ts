import type { ExifTags } from '../../../core/media/picture-metadata.js';
import type { PhotoEditResult } from '../../../core/photos/edit-photos.js';
import type { PhotoWithTags } from '../../../core/photos/photo.js';
import type { PhotoUrls } from '../../../core/photos/rendition-urls.js';
import type { PhotoDeletionResult } from '../../../core/photos/trash-photos.js';
import { instant, optionalInstant } from '../../responses/wire.js';
import { tagNameView } from '../tags/tag.view.js';

/** API.md §5.1, the fields of every photo. */
export function photoView(photo: PhotoWithTags) {
  return {
    id: photo.id,
    filename: photo.filename,
    contentType: photo.contentType,
    sizeBytes: photo.sizeBytes,
    sha256: photo.sha256,
    width: photo.width,
    height: photo.height,
    orientation: photo.orientation,
    rotation: photo.rotation,
    title: photo.title,
    description: photo.description,
    takenAt: optionalInstant(photo.takenAt),
    takenAtLocal: photo.takenAtLocal,
    timeZone: photo.timeZone,
    takenAtSource: photo.takenAtSource,
    location: locationView(photo.location),
    camera: cameraView(photo.camera),
    exposure: exposureView(photo.exposure),
    rating: photo.rating,
    tags: photo.tags.map(tagNameView),
    externalId: photo.externalId,
    metadata: { ...photo.metadata },
    importId: photo.importId,
    damaged: photo.damaged,
    originalLostAt: optionalInstant(photo.originalLostAt),
    thumbhash: photo.thumbhash,
    dominantColor: photo.dominantColor,
    trashedAt: optionalInstant(photo.trashedAt),
    purgeAt: optionalInstant(photo.purgeAt),
    createdAt: instant(photo.createdAt),
    updatedAt: instant(photo.updatedAt),
    version: photo.version,
  };
}

/** API.md §7, 7. */
export function photoEditView({ id, outcome, photo, error }: PhotoEditResult) {
  return {
    id,
    outcome,
    photo: photo && photoView(photo),
    error: error && { code: error.code, message: error.message },
  };
}

/** API.md §7, 14. */
export function photoDeletionView({ id, outcome }: PhotoDeletionResult) {
  return { id, outcome };
}

/** Fields of `include`; absent if not requested. */
export interface PhotoExtras {
  readonly urls?: PhotoUrls | null;
  readonly exif?: ExifTags | null;
}

export function photoWithExtras(photo: PhotoWithTags, { urls, exif }: PhotoExtras) {
  return {
    ...photoView(photo),
    ...(urls !== undefined && { urls: urls && urlsView(urls) }),
    ...(exif !== undefined && { exif: { ...exif } }),
  };
}

export function locationView(location: PhotoWithTags['location']) {
  return location && { latitude: location.latitude, longitude: location.longitude, altitude: location.altitude };
}

function cameraView(camera: PhotoWithTags['camera']) {
  return camera && { make: camera.make, model: camera.model, lens: camera.lens };
}

function exposureView(exposure: PhotoWithTags['exposure']) {
  return (
    exposure && {
      iso: exposure.iso,
      fNumber: exposure.fNumber,
      exposureTime: exposure.exposureTime,
      focalLength: exposure.focalLength,
      focalLength35mm: exposure.focalLength35mm,
      flash: exposure.flash,
    }
  );
}

function urlsView({ thumb, small, medium, large, expiresAt }: PhotoUrls) {
  return { thumb, small, medium, large, expiresAt: instant(expiresAt) };
}
