import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { pairsOf, requireGroup } from './similar-group.js';
import type { PhotoPair } from './similar-photo-repository.js';

/**
 * Says that none of these photos is similar to another of them. Those that do not exist are ignored. Returns what was not said before, for
 * `rejoinPhotos`. Errors: `invalid_request`.
 */
export async function separatePhotos(
  { store, clock }: { store: Transactional<'photos' | 'similarPhotos'>; clock: Clock },
  { customerId }: Caller,
  ids: readonly Id[],
): Promise<readonly PhotoPair[]> {
  requireGroup(ids);
  return store.transaction(customerId, async ({ photos, similarPhotos }) => {
    const there = await photos.lock(ids);
    return similarPhotos.separate(pairsOf(there.map(({ id }) => id)), clock.now());
  });
}

/** Undoes it for these pairs. */
export function rejoinPhotos(
  { store }: { store: Transactional<'similarPhotos'> },
  { customerId }: Caller,
  pairs: readonly PhotoPair[],
): Promise<void> {
  return store.transaction(customerId, ({ similarPhotos }) => similarPhotos.rejoin(pairs));
}
