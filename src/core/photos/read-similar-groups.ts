import type { Caller } from '../access/caller.js';
import type { Id } from '../shared/ids.js';
import type { Readable, Reader } from '../shared/transactional.js';
import { isTrashed } from './photo.js';
import { MAX_GROUP, type SimilarGroup } from './similar-group.js';
import { DEFAULT_DISTANCE } from './similar-photos.js';

export const GROUPS_PER_PAGE = 10;
/** Photos that are compared at once, and for one page. */
const BATCH = 250;
const BATCHES_PER_PAGE = 8;

export interface SimilarGroups {
  readonly groups: readonly SimilarGroup[];
  /** Where the next page begins; null: all photos have been compared. There may be a next page although this one is empty. */
  readonly next: Id | null;
}

/**
 * A page of groups of similar photos, by the lowest id in each, from after this photo. It compares a bounded number of photos, however large
 * the library is. Of a group that is larger than `MAX_GROUP` a part is shown; the rest when that has become smaller.
 */
export function readSimilarGroups(
  { store }: { store: Readable<'photos' | 'similarPhotos'> },
  { customerId }: Caller,
  after: Id | null,
): Promise<SimilarGroups> {
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
