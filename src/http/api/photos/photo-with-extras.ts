import type { ExifTags } from '../../../core/media/picture-metadata.js';
import type { PhotoWithTags } from '../../../core/photos/photo.js';
import type { PhotoUrls } from '../../../core/photos/renditions/rendition.js';
import { PhotoView, photoView } from './photo.view.js';
import { urlsView } from './photo-parts.view.js';

/** The fields that only `include` adds. */
export interface PhotoExtras {
  readonly urls?: PhotoUrls | null;
  readonly exif?: ExifTags | null;
}

export function photoWithExtras(photo: PhotoWithTags, { urls, exif }: PhotoExtras): PhotoView {
  return {
    ...photoView(photo),
    ...(urls !== undefined && { urls: urls && urlsView(urls) }),
    ...(exif !== undefined && { exif: { ...exif } }),
  };
}
