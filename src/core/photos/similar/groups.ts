import type { Caller } from '../../access/caller.js';
import type { Clock } from '../../shared/clock.js';
import { invalid } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Readable, Reader, Transactional } from '../../shared/transactional.js';
import { changePhotos } from '../change-photos.js';
import { isTrashed, type Photo, type PhotoWithTags, trash } from '../photo.js';
import { DEFAULT_DISTANCE, type PhotoPair } from './similar-photo.js';

/** The most photos that are shown, kept or separated together. */
export const MAX_GROUP = 20;

/** Photos of which each is similar to at least one other; by id ascending. */
export type SimilarGroup = readonly PhotoWithTags[];

export const GROUPS_PER_PAGE = 10;
/** Photos that are compared at once, and for one page. */
const BATCH = 250;
const BATCHES_PER_PAGE = 8;

/**
 * A page of groups of similar photos, by the lowest id in each, from after this photo. It compares a bounded number of photos, however large
 * the library is. Of a group that is larger than `MAX_GROUP` a part is shown; the rest when that has become smaller. `next`: where the next page
 * begins; null: all photos have been compared. There may be a next page although this one is empty.
 */
export function readSimilarGroups(
  { store }: { store: Readable<'photos' | 'similarPhotos'> },
  { customerId }: Caller,
  after: Id | null,
): Promise<{ readonly groups: readonly SimilarGroup[]; readonly next: Id | null }> {
  return store.query(customerId, async (reader) => {
    const groups: SimilarGroup[] = [];
    let [next, shown] = [after, after];
    for (let batch = 0; batch < BATCHES_PER_PAGE; batch += 1) {
      const scan = await reader.similarPhotos.scan(next, BATCH, DEFAULT_DISTANCE);
      for (const lead of scan.leads) {
        const group = await groupOf(reader, lead);
        if (group.length < 2) continue;
        if (groups.length === GROUPS_PER_PAGE) return { groups, next: shown };
        groups.push(group);
        shown = lead;
      }
      next = scan.next;
      if (next === null) break;
    }
    return { groups, next };
  });
}

/** Empty when the group has a photo with a lower id: it was shown before. */
async function groupOf({ photos, similarPhotos }: Reader<'photos' | 'similarPhotos'>, lead: Id): Promise<SimilarGroup> {
  const members = new Set([lead]);
  let latest: readonly Id[] = [lead];
  while (latest.length > 0 && members.size < MAX_GROUP) {
    const found = await similarPhotos.similarTo(latest, MAX_GROUP, DEFAULT_DISTANCE);
    if (found.some(({ similarId }) => similarId < lead)) return [];
    const added = new Set(found.map(({ similarId }) => similarId).filter((id) => !members.has(id)));
    latest = [...added].slice(0, MAX_GROUP - members.size);
    for (const id of latest) members.add(id);
  }
  return (await photos.getMany([...members])).filter((photo) => !isTrashed(photo));
}

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

/**
 * Moves all of a group of photos to the trash except those to keep; photos that are gone are ignored. Returns what was moved. Errors:
 * `invalid_request` when none of those to keep is still in the library: otherwise two people who keep different ones would keep none.
 */
export async function trashOthers(
  { store, clock }: { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock },
  { customerId }: Caller,
  { ids, keep }: { readonly ids: readonly Id[]; readonly keep: readonly Id[] },
): Promise<readonly Id[]> {
  requireGroup(ids);
  return store.transaction(customerId, async (transaction) => {
    const { photos, customer } = transaction;
    const there = (await photos.lock(ids)).filter((photo) => !isTrashed(photo));
    const others = there.filter(({ id }) => !keep.includes(id));
    if (others.length === there.length) {
      const message = 'Choose a photo to keep. If there was one, it is in the trash or deleted by now.';
      throw invalid({ field: 'keep', code: 'required', message });
    }
    if (others.length === 0) return [];
    const at = clock.now();
    const { trashRetentionDays } = await customer.read();
    const changes = others.map((photo) => ({ photo, next: trash(photo, at, trashRetentionDays) }));
    return (await changePhotos(transaction, changes, at)).map(({ id }) => id);
  });
}

export function pairsOf(ids: readonly Id[]): readonly PhotoPair[] {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  return sorted.flatMap((photoId, at) => sorted.slice(at + 1).map((otherId) => ({ photoId, otherId })));
}

/** Errors: `invalid_request`. */
function requireGroup(ids: readonly Id[]): void {
  if (ids.length <= MAX_GROUP) return;
  const message = `Choose at most ${MAX_GROUP} photos.`;
  throw invalid({ field: 'ids', code: 'too_many', message, max: MAX_GROUP });
}

/** The photo to keep, unless a person knows better: the one with the most pixels, then the most bytes, then the one that was there first. */
export function bestOf<T extends Pick<Photo, 'id' | 'width' | 'height' | 'sizeBytes'>>(
  group: readonly T[],
): T | undefined {
  const pixels = ({ width, height }: T) => width * height;
  return group.toSorted((a, b) => pixels(b) - pixels(a) || b.sizeBytes - a.sizeBytes || a.id - b.id)[0];
}
