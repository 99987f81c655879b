import { type Photo, type PhotoWithTags, withNewVersion } from '../photos/photo.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';

type MarkUses = { store: Transactional<'photos' | 'outbox'>; clock: Clock };

/** Marks the original as lost, or as recovered. The API returns it, and downloads are refused instead of cut off. */
export function markOriginal(
  { store, clock }: MarkUses,
  seen: PhotoWithTags,
  as: (photo: Photo, at: Date) => Photo,
): Promise<void> {
  return store.transaction(seen.customerId, async ({ photos, outbox }) => {
    const photo = (await photos.lock([seen.id]))[0];
    if (photo?.blobKey !== seen.blobKey) return;
    const at = clock.now();
    const next = withNewVersion(photo, as(photo, at), at);
    if (next === photo) return;
    await photos.update(next);
    await outbox.add('photo.updated', [next.id], at);
  });
}

/** Purged or given another original since it was read: then the result is obsolete. */
export async function isUnchanged(
  { store }: Pick<MarkUses, 'store'>,
  { customerId, id, blobKey }: PhotoWithTags,
): Promise<boolean> {
  const now = await store.query(customerId, (reader) => reader.photos.get(id));
  return now?.blobKey === blobKey;
}
