import type { Caller } from '../../../core/access/caller.js';
import { similarFilter } from '../../../core/photos/list-photos.js';
import type { PhotoFilters } from '../../../core/photos/photo-query.js';
import { DEFAULT_DISTANCE } from '../../../core/photos/similar/similar-photo.js';
import type { Ports } from '../../../core/ports.js';
import { DomainError } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';

/** Photos that look like this one, which may be in the trash; null when it cannot be compared, or is not there. */
export async function filterSimilar(
  { store }: Ports,
  { customerId }: Caller,
  photoId: Id,
): Promise<Pick<PhotoFilters, 'similar'> | null> {
  try {
    const to = { photoId, maxDistance: DEFAULT_DISTANCE };
    const similar = await store.query(customerId, ({ photos }) => similarFilter(photos, to, { trashed: 'any' }));
    return similar && { similar };
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return null;
    throw error;
  }
}
