import type { Download } from '../photos/download-photo.js';
import { openRendition, type RenditionUses } from '../photos/open-rendition.js';
import type { Photo } from '../photos/photo.js';
import { deliveredPicture, deliveredRendition, transformationName } from './delivered-picture.js';
import type { DeliveryOptions } from './delivery-options.js';

export interface NamedPicture extends Download {
  /** Two with the same name have the same bytes. */
  readonly name: string;
}

/** The picture of a photo with these options, for a client that shows no newer formats. Errors: those of `openRendition`. */
export function openNamedPicture(uses: RenditionUses, photo: Photo, options: DeliveryOptions): NamedPicture {
  const transformation = deliveredPicture(photo, options, new Set());
  const name = `${photo.sha256}-${transformationName(transformation)}-r${photo.rotation}`;
  return { ...openRendition(uses, photo, deliveredRendition(photo, transformation)), name };
}
