import type { Caller } from '../access/caller.js';
import type { Download } from '../photos/download-photo.js';
import { openRendition, type RenditionUses } from '../photos/open-rendition.js';
import { readVisiblePhoto } from '../photos/read-photo.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { deliveredPicture, deliveredRendition, transformationName } from './delivered-picture.js';

export interface FullPicture extends Download {
  /** Two with the same name have the same bytes. */
  readonly name: string;
}

/**
 * All pixels of a photo as a JPEG, up to `MAX_RESULT_SIDE` in each direction, for browsers that cannot display its original: HEIC, TIFF and raw
 * files, and photos that somebody has turned. Errors: `not_found`; when opened those of `openRendition`.
 */
export async function openFullPicture(
  uses: RenditionUses & { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<FullPicture> {
  const photo = await readVisiblePhoto(uses, caller, id);
  const transformation = deliveredPicture(photo, { f: 'jpeg' }, new Set());
  const name = `${photo.sha256}-${transformationName(transformation)}-r${photo.rotation}`;
  return { ...openRendition(uses, photo, deliveredRendition(photo, transformation)), name };
}
