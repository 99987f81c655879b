import type { Caller } from '../access/caller.js';
import type { Readable } from '../shared/transactional.js';
import type { PhotoFilters } from './photo-query.js';
import { requireKnownTags } from './require-known-tags.js';

/** How many photos match. Errors: `invalid_request` (`unknown_tag`). */
export function countPhotos(
  { store }: { store: Readable<'photos' | 'tags'> },
  { customerId }: Pick<Caller, 'customerId'>,
  filters: PhotoFilters,
): Promise<number> {
  return store.query(customerId, async ({ photos, tags }) => {
    await requireKnownTags(tags, filters);
    return photos.count(filters);
  });
}
