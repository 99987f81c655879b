import type { Caller } from '../access/caller.js';
import type { ExifTags } from '../media/picture-metadata.js';
import { notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Tag } from '../tags/tag.js';
import { isTrashed, type Photo, type PhotoWithTags } from './photo.js';

/** Errors: `not_found`. */
export function readPhoto(
  { store }: { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
  reading: { readonly trashedToo: boolean; readonly withExif: boolean },
): Promise<{ photo: PhotoWithTags; exif: ExifTags | null }> {
  return store.query(caller.customerId, async (reader) => {
    const photo = requireFound(await reader.photos.get(id), 'photo');
    if (isTrashed(photo) && !reading.trashedToo) throw notFound('photo');
    return { photo, exif: reading.withExif ? await reader.photos.exif(id) : null };
  });
}

/** The photos of these ids that exist, by id, also those in the trash. */
export function readPhotos(
  { store }: { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  ids: readonly Id[],
): Promise<readonly PhotoWithTags[]> {
  return store.query(caller.customerId, ({ photos }) => photos.getMany(ids));
}

/** A photo outside the trash, for displaying it without its tags. Errors: `not_found`. */
export function readVisiblePhoto(
  { store }: { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<Photo> {
  return store.query(caller.customerId, async (reader) => requireFound(await reader.photos.getVisible(id), 'photo'));
}

/** The tags of a photo, by name. Errors: `not_found`. */
export function readPhotoTags(
  { store }: { store: Readable<'photos' | 'tags'> },
  caller: Caller,
  id: Id,
): Promise<readonly Tag[]> {
  return store.query(caller.customerId, async (reader) => {
    if (isTrashed(requireFound(await reader.photos.get(id), 'photo'))) throw notFound('photo');
    return reader.tags.ofPhoto(id);
  });
}
