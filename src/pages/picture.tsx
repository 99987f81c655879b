import { type RenditionName, renditionNames, renditionSizes } from '../core/media/media-reader.js';
import { isTrashed, type PhotoWithTags } from '../core/photos/photo.js';
import type { PhotoUrls } from '../core/photos/renditions/signed-url.js';

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

/**
 * A photo. Its size is known in advance, so nothing moves when it arrives, and the browser chooses the rendition by the width at which it is
 * displayed.
 * @param name For browsers that choose none.
 */
export function Picture({ shown, name, sizes }: { shown: PhotoWithUrls; name: RenditionName; sizes: string }) {
  const { photo } = shown;
  const { width, height } = renditionSize(photo, name);
  return (
    <img
      src={pictureUrl(shown, name)}
      srcset={pictureSources(shown)}
      sizes={sizes}
      width={width}
      height={height}
      alt={photoName(photo)}
      loading={name === 'thumb' ? 'lazy' : 'eager'}
      decoding="async"
    />
  );
}

/** Each rendition with its width; of those with the same width, which a small photo has, the first. */
function pictureSources(shown: PhotoWithUrls): string {
  const byWidth = new Map<number, RenditionName>();
  for (const name of renditionNames) {
    const { width } = renditionSize(shown.photo, name);
    if (!byWidth.has(width)) byWidth.set(width, name);
  }
  return [...byWidth].map(([width, name]) => `${pictureUrl(shown, name)} ${width}w`).join(', ');
}

export function renditionSize({ width, height }: Pick<PhotoWithTags, 'width' | 'height'>, name: RenditionName) {
  const scale = Math.min(1, renditionSizes[name] / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

const NARROWEST = 5;
const WIDEST = 24;

/** The class of a photo's shape, in tenths of width by height: pages have no inline styles that could express it exactly. */
export function shapeClass({ width, height }: Pick<PhotoWithTags, 'width' | 'height'>): string {
  const tenths = Math.round((width / height) * 10);
  return `shape-${Math.min(WIDEST, Math.max(NARROWEST, tenths))}`;
}

/** The style of these classes, which the sheet of the grid ends with. */
export const shapeStyles = Array.from({ length: WIDEST - NARROWEST + 1 }, (_, at) => {
  return `.shape-${NARROWEST + at} { --shape: ${(NARROWEST + at) / 10}; }\n`;
}).join('');
