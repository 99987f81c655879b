import type { Caller } from '../access/caller.js';
import type { RenditionUses } from '../photos/open-rendition.js';
import { readVisiblePhoto } from '../photos/read-photo.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { type NamedPicture, openNamedPicture } from './open-named-picture.js';

/**
 * All pixels of a photo as a JPEG, up to `MAX_RESULT_SIDE` in each direction, for browsers that cannot display its original: HEIC, TIFF and raw
 * files, and photos that somebody has turned. Errors: `not_found`; when opened those of `openRendition`.
 */
export async function openFullPicture(
  uses: RenditionUses & { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<NamedPicture> {
  return openNamedPicture(uses, await readVisiblePhoto(uses, caller, id), { f: 'jpeg' });
}
