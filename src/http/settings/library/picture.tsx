import { type RenditionName, renditionSizes } from '../../../core/media/renditions.js';
import { isTrashed, type PhotoWithTags } from '../../../core/photos/photo.js';
import type { PhotoUrls } from '../../../core/photos/rendition-urls.js';

/** A photo with the addresses of its renditions. */
export interface PhotoWithUrls {
  readonly photo: PhotoWithTags;
  readonly urls: PhotoUrls | null;
}

/** Where a browser gets a rendition. Signed addresses do not work for the trash; a signed-in person may see it. */
export function pictureUrl({ photo, urls }: PhotoWithUrls, name: RenditionName): string {
  return isTrashed(photo) || urls === null ? `/settings/photos/${photo.id}/rendition/${name}` : urls[name];
}

/** The display name of a photo: its title, or else its file name. */
export function photoName({ title, filename }: Pick<PhotoWithTags, 'title' | 'filename'>): string {
  return title ?? filename;
}

/** The photo's colour, behind its picture. */
export function Tint({ photo }: Pick<PhotoWithUrls, 'photo'>) {
  return (
    <svg class="tint" aria-hidden="true" focusable="false">
      <rect width="100%" height="100%" fill={photo.dominantColor ?? 'none'} />
    </svg>
  );
}

/** A rendition. Its size is known in advance, so nothing moves when it arrives. */
export function Picture({ shown, name, finer }: { shown: PhotoWithUrls; name: RenditionName; finer: RenditionName }) {
  const { photo } = shown;
  const scale = Math.min(1, renditionSizes[name] / Math.max(photo.width, photo.height));
  const isThumb = name === 'thumb';
  return (
    <img
      src={pictureUrl(shown, name)}
      srcset={`${pictureUrl(shown, name)} 1x, ${pictureUrl(shown, finer)} 2x`}
      width={Math.max(1, Math.round(photo.width * scale))}
      height={Math.max(1, Math.round(photo.height * scale))}
      alt={photoName(photo)}
      loading={isThumb ? 'lazy' : 'eager'}
      decoding="async"
    />
  );
}

const NARROWEST = 5;
const WIDEST = 24;

/** The class of a photo's shape, in tenths of width by height: pages have no inline styles that could express it exactly. */
export function shapeClass({ width, height }: Pick<PhotoWithTags, 'width' | 'height'>): string {
  const tenths = Math.round((width / height) * 10);
  return `shape-${Math.min(WIDEST, Math.max(NARROWEST, tenths))}`;
}
