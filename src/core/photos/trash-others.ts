import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { isTrashed, trash, withNewVersion } from './photo.js';
import { requireGroup } from './similar-group.js';

/**
 * Moves all of a group of photos to the trash except those to keep; photos that are gone are ignored. Returns what was moved. Errors:
 * `invalid_request` when none of those to keep is in the library any more: otherwise two people who keep different ones would keep none.
 */
export async function trashOthers(
  { store, clock }: { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock },
  { customerId }: Caller,
  { ids, keep }: { readonly ids: readonly Id[]; readonly keep: readonly Id[] },
): Promise<readonly Id[]> {
  requireGroup(ids);
  return store.transaction(customerId, async ({ photos, customer, outbox }) => {
    const there = (await photos.lock(ids)).filter((photo) => !isTrashed(photo));
    const others = there.filter(({ id }) => !keep.includes(id));
    if (others.length === there.length) {
      const message = 'Choose a photo to keep. If there was one, it is in the trash or deleted by now.';
      throw invalid({ field: 'keep', code: 'required', message });
    }
    if (others.length === 0) return [];
    const at = clock.now();
    const { trashRetentionDays } = await customer.read();
    for (const photo of others) await photos.update(withNewVersion(photo, trash(photo, at, trashRetentionDays), at));
    const moved = others.map(({ id }) => id);
    await outbox.add('photo.trashed', moved, at);
    return moved;
  });
}
