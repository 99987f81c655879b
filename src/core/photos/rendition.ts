import { type BlobKey, renditionKey } from '../blobs/blob-key.js';
import type { RenditionFormat } from '../media/media-reader.js';
import { type RenditionName, renditionSizes } from '../media/renditions.js';
import { type Transformation, within } from '../media/transformation.js';
import type { Photo } from './photo.js';

/** What to make of a photo, and where it is stored. */
export interface Rendition {
  readonly key: BlobKey;
  readonly transformation: Transformation;
  /** The format of larger stored renditions that it may be made from; null: only from the original. */
  readonly source: RenditionFormat | null;
}

/** One of the named sizes. */
export function fixedRendition(photo: Photo, name: RenditionName, format: RenditionFormat): Rendition {
  const transformation = within(renditionSizes[name], format);
  return { key: renditionKey(photo, name, format), transformation, source: format };
}
