import type { Caller } from '../access/caller.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { PhotoWithTags } from './photo.js';
import { type PhotoFilters, type PhotoSort, photoPosition } from './photo-query.js';
import type { PhotoReads } from './photo-repository.js';

/** A sort that has an opposite, so that the list can be read backwards. */
export type TwoWaySort = Exclude<PhotoSort, 'updatedAt'>;

/** Null at the end of the list. */
export interface Neighbours {
  readonly previous: Id | null;
  readonly next: Id | null;
}

/** The photos next to this one in a list; if the filters exclude it, next to where it would be. */
export function readNeighbours(
  { store }: { store: Readable<'photos'> },
  { customerId }: Pick<Caller, 'customerId'>,
  photo: PhotoWithTags,
  { filters, sort }: { filters: PhotoFilters; sort: TwoWaySort },
): Promise<Neighbours> {
  return store.query(customerId, async ({ photos }) => {
    const [next] = await photos.list({ filters, sort, window: { after: photoPosition(photo, sort), limit: 1 } });
    return { previous: await previousOf(photos, photo, filters, sort), next: next?.id ?? null };
  });
}

/** Reads in the other direction. Photos without the sort's value come last in both directions: there the two lists are not mirror images. */
async function previousOf(
  photos: PhotoReads,
  photo: PhotoWithTags,
  filters: PhotoFilters,
  sort: TwoWaySort,
): Promise<Id | null> {
  const back = opposite(sort);
  const hasValue = (other: PhotoWithTags) => photoPosition(other, sort).value !== null;
  const [before] = await photos.list({
    filters,
    sort: back,
    window: { after: photoPosition(photo, back), limit: 1 },
  });
  if (before !== undefined && hasValue(before) === hasValue(photo)) return before.id;
  if (hasValue(photo)) return null;
  const [lastValued] = await photos.list({ filters, sort: back, window: { after: null, limit: 1 } });
  return lastValued !== undefined && hasValue(lastValued) ? lastValued.id : null;
}

function opposite(sort: TwoWaySort): TwoWaySort {
  return (sort.startsWith('-') ? sort.slice(1) : `-${sort}`) as TwoWaySort;
}
