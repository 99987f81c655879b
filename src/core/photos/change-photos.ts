import { isDeepStrictEqual } from 'node:util';
import { announcePhotos, type PhotoOutcome } from '../events/event.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { isTrashed, type Photo } from './photo.js';

/** A photo, which is locked, and what it becomes. */
export interface PhotoChange {
  readonly photo: Photo;
  readonly next: Photo;
  /** Its new set of tags; null or absent: it keeps its tags. */
  readonly tagIds?: readonly Id[] | null;
}

/**
 * Stores changed photos, each as a new version, and adds its event, many in one statement: this happens to every photo that changes, and a
 * photo of which nothing differs stays as it is. Totals follow with the row, as `PhotoRepository` promises. Returns the photos as they are
 * stored then. Tags change photos that no one reads: `TagRepository` gives those their new versions, and `announcePhotos` their events.
 */
export async function changePhotos(
  transaction: Transaction<'photos' | 'outbox'>,
  changes: readonly PhotoChange[],
  at: Date,
): Promise<readonly Photo[]> {
  const stored: Photo[] = [];
  const events = new Map<PhotoOutcome, Id[]>();
  for (const { photo, next, tagIds = null } of changes) {
    if (tagIds === null && isDeepStrictEqual(next, photo)) {
      stored.push(photo);
      continue;
    }
    const changed = { ...next, updatedAt: at, version: photo.version + 1 };
    if (tagIds !== null) await transaction.photos.setTags(photo.id, tagIds);
    await transaction.photos.update(changed);
    stored.push(changed);
    const moved = isTrashed(next) ? 'trashed' : 'restored';
    const outcome = isTrashed(photo) === isTrashed(next) ? 'updated' : moved;
    events.set(outcome, [...(events.get(outcome) ?? []), photo.id]);
  }
  for (const [outcome, ids] of events) await announcePhotos(transaction, outcome, ids, at);
  return stored;
}
