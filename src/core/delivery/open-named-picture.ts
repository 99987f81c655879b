import type { Caller } from '../access/caller.js';
import type { Download } from '../photos/original.js';
import type { Photo } from '../photos/photo.js';
import { readVisiblePhoto } from '../photos/read-photo.js';
import { openRendition, type RenditionUses } from '../photos/renditions/rendition.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { deliveredPicture, deliveredRendition, transformationName } from './delivered-picture.js';
import type { DeliveryOptions } from './delivery-options.js';
import { parsePresetOptions } from './preset.js';

/**
 * All pixels of a photo as a JPEG, up to `MAX_RESULT_SIDE` in each direction, for browsers that cannot display its original: HEIC, TIFF and raw
 * files, and photos that were turned. Errors: `not_found`; when opened those of `openRendition`.
 */
export async function openFullPicture(
  uses: RenditionUses & { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<NamedPicture> {
  return openNamedPicture(uses, await readVisiblePhoto(uses, caller, id), { f: 'jpeg' });
}

/**
 * Returns what a preset with these options would show of the newest photo, to a client that shows no newer formats. Errors: `invalid_request`;
 * `not_found` when there is no photo; when opened those of `openRendition`.
 */
export async function previewOptions(
  { store, ...uses }: RenditionUses & { store: Readable<'photos'> },
  { customerId }: Pick<Caller, 'customerId'>,
  options: string,
): Promise<NamedPicture> {
  const parsed = parsePresetOptions(options);
  const window = { after: null, limit: 1 };
  const [photo] = await store.query(customerId, ({ photos }) =>
    photos.list({ filters: { trashed: 'false' }, sort: '-createdAt', window }),
  );
  if (photo === undefined) throw notFound('photo');
  return openNamedPicture(uses, photo, parsed);
}

interface NamedPicture extends Download {
  /** Two with the same name have the same bytes. */
  readonly name: string;
}

/** The picture of a photo with these options, for a client that shows no newer formats. Errors: those of `openRendition`. */
function openNamedPicture(uses: RenditionUses, photo: Photo, options: DeliveryOptions): NamedPicture {
  const transformation = deliveredPicture(photo, options, new Set());
  const name = `${photo.sha256}-${transformationName(transformation)}-r${photo.rotation}`;
  return { ...openRendition(uses, photo, deliveredRendition(photo, transformation)), name };
}
