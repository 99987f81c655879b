import type { Caller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { found } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, unconditional } from '../shared/precondition.js';
import type { Tag } from './tag.js';

/** Takes the tag off all its photos and deletes it. `emptyTag` first makes them few. Errors: `not_found`, `precondition_failed`. */
export function deleteTag(
  { store, clock }: Uses<'store' | 'clock'>,
  caller: Caller,
  id: Id,
  check: Precondition<Tag> = unconditional,
): Promise<void> {
  return store.within(caller.customerId, async (work) => {
    await work.photos.lockTagged([id], []);
    check(found((await work.tags.lock([id]))[0], 'tag'));
    const at = clock.now();
    await work.tags.delete(id, at);
    await work.outbox.add('tag.deleted', [id], at);
  });
}

/** Photos that one transaction takes a tag off: a fraction of a second, in which nobody else can change them. */
const PHOTOS_AT_ONCE = 2000;

/**
 * Takes a tag that is to be deleted off its photos, a transaction for so many at a time, until few are left: off hundreds of
 * thousands it takes minutes. Whatever breaks it off, the same request again goes on from there. True when it took it off any;
 * then the caller's condition was looked at here, before the tag changed. Errors: `precondition_failed`.
 */
export async function emptyTag(
  { store, clock }: Uses<'store' | 'clock'>,
  { customerId }: Caller,
  id: Id,
  check: Precondition<Tag> = unconditional,
): Promise<boolean> {
  const tag = await store.read(customerId, (view) => view.tags.get(id));
  if (tag === null || tag.photoCount <= PHOTOS_AT_ONCE) return false;
  let begun = false;
  for (let more = true; more; begun ||= more) {
    more = await store.within(customerId, async (work) => {
      const photoIds = await work.photos.lockSomeTagged(id, PHOTOS_AT_ONCE);
      if (photoIds.length < PHOTOS_AT_ONCE) return false;
      if (!begun) check(found((await work.tags.lock([id]))[0], 'tag'));
      await work.tags.detach([id], photoIds, clock.now());
      return true;
    });
  }
  return begun;
}
