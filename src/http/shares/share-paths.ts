import type { RenditionName } from '../../core/media/media-reader.js';
import type { Id } from '../../core/shared/ids.js';
import { SHARES_PATH } from '../public-addresses.js';
import { assetsVersion } from '../settings/assets.js';

/** The sizes of pictures that visitors see, and the renditions that they are. */
export const visitorSizes = { thumb: 'thumb', preview: 'medium', large: 'large' } as const satisfies Readonly<
  Record<string, RenditionName>
>;
export type VisitorSize = keyof typeof visitorSizes;

export function isVisitorSize(text: string): text is VisitorSize {
  return Object.hasOwn(visitorSizes, text);
}

/** Everything that a share needs is below this path. */
export function sharePath(token: string): string {
  return `/${SHARES_PATH}/${token}`;
}

export function sharedPhotoPath(token: string, id: Id): string {
  return `${sharePath(token)}/photos/${id}`;
}

export function sharedPicturePath(token: string, id: Id, size: VisitorSize | 'download'): string {
  return `${sharedPhotoPath(token, id)}/${size}`;
}

/** The files of `settings/assets` that pages of shares need. */
export const shareAssets = [
  'typeface.css',
  'inter-latin-wght-normal.woff2',
  'inter-latin-ext-wght-normal.woff2',
  'share.css',
  'share.js',
  'icon.svg',
] as const;

export function shareAssetPath(token: string, name: (typeof shareAssets)[number]): string {
  return `${sharePath(token)}/assets/${assetsVersion}/${name}`;
}
