import type { Caller } from '../access/caller.js';
import { instantOf, offsetAt } from '../media/zones.js';
import type { Readable, Reader } from '../shared/transactional.js';

/** The years of the account's time zone in which photos outside the trash were taken, latest first. */
export function readPhotoYears(
  { store }: { store: Readable<'photos' | 'customer'> },
  { customerId }: Pick<Caller, 'customerId'>,
): Promise<readonly number[]> {
  return store.query(customerId, async (reader) => {
    const { defaultTimeZone } = await reader.customer.read();
    return yearsWithPhotos(reader, defaultTimeZone);
  });
}

/** Latest first. */
export async function yearsWithPhotos({ photos }: Reader<'photos'>, zone: string): Promise<readonly number[]> {
  const end = { filters: { trashed: 'false' }, window: { after: null, limit: 1 } } as const;
  const [first] = await photos.list({ ...end, sort: 'takenAt' });
  const [last] = await photos.list({ ...end, sort: '-takenAt' });
  if (!first?.takenAt || !last?.takenAt) return [];
  const years: number[] = [];
  for (let year = yearOf(first.takenAt, zone); year <= yearOf(last.takenAt, zone); year += 1) years.push(year);
  const starts = [...years, (years.at(-1) ?? 0) + 1].map((year) => startOfMonth(year, 0, zone));
  const taken = await photos.countTakenBetween(starts, 1);
  return years.filter((_, at) => taken[at] === 1).reverse();
}

function yearOf(at: Date, zone: string): number {
  return new Date(at.getTime() + (offsetAt(zone, at.getTime()) ?? 0)).getUTCFullYear();
}

/** @param month From 0; 12 is the first month of the next year. */
export function startOfMonth(year: number, month: number, zone: string): Date {
  // Not Date.UTC: it reads the years 0 to 99 as 1900 to 1999.
  const clock = new Date(0).setUTCFullYear(year, month, 1);
  return new Date(instantOf(clock, zone) ?? clock);
}
