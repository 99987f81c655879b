import type { Caller } from '../access/caller.js';
import type { Readable } from '../shared/transactional.js';
import { startOfMonth, yearsWithPhotos } from './read-photo-years.js';

export interface PhotoMonth {
  /** Of the account's time zone, `2024-06`. */
  readonly month: string;
  /** Taken in it and outside the trash, at most `MAX_COUNTED_IN_MONTH`. */
  readonly photos: number;
}

/** Bounds the work for a library of any size by the number of its months. */
export const MAX_COUNTED_IN_MONTH = 10_000;
/** The latest; a library of more has clocks that were set wrong. */
const MAX_YEARS = 200;

/** The months in which photos were taken, latest first. Takes about 0.15 s for a million photos (decision 0080). */
export function readPhotoMonths(
  { store }: { store: Readable<'photos' | 'customer'> },
  { customerId }: Pick<Caller, 'customerId'>,
): Promise<readonly PhotoMonth[]> {
  return store.query(customerId, async (reader) => {
    const { defaultTimeZone: zone } = await reader.customer.read();
    const years = (await yearsWithPhotos(reader, zone)).slice(0, MAX_YEARS);
    const found: PhotoMonth[] = [];
    // A year at a time: between years there may be centuries.
    for (const year of years) {
      const starts = Array.from({ length: 13 }, (_, month) => startOfMonth(year, month, zone));
      const counts = await reader.photos.countTakenBetween(starts, MAX_COUNTED_IN_MONTH);
      const months = counts.map((photos, at) => ({ month: nameOf(year, at + 1), photos }));
      found.push(...months.filter(({ photos }) => photos > 0).reverse());
    }
    return found;
  });
}

function nameOf(year: number, month: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
}
