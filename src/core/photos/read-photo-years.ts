import type { Caller } from '../access/caller.js';
import { instantOf, offsetAt } from '../media/zones.js';
import type { Readable } from '../shared/transactional.js';

/** The years of the account's time zone in which photos outside the trash were taken, latest first. */
export function readPhotoYears(
  { store }: { store: Readable<'photos' | 'customer'> },
  { customerId }: Pick<Caller, 'customerId'>,
): Promise<readonly number[]> {
  return store.query(customerId, async ({ photos, customer }) => {
    const { defaultTimeZone: zone } = await customer.read();
    const end = { filters: { trashed: 'false' }, window: { after: null, limit: 1 } } as const;
    const [first] = await photos.list({ ...end, sort: 'takenAt' });
    const [last] = await photos.list({ ...end, sort: '-takenAt' });
    if (!first?.takenAt || !last?.takenAt) return [];
    const years: number[] = [];
    for (let year = yearOf(first.takenAt, zone); year <= yearOf(last.takenAt, zone); year += 1) years.push(year);
    const starts = [...years, (years.at(-1) ?? 0) + 1].map((year) => startOf(year, zone));
    const taken = await photos.takenBetween(starts);
    return years.filter((_, at) => taken[at]).reverse();
  });
}

function yearOf(at: Date, zone: string): number {
  return new Date(at.getTime() + (offsetAt(zone, at.getTime()) ?? 0)).getUTCFullYear();
}

function startOf(year: number, zone: string): Date {
  // Not Date.UTC: it reads the years 0 to 99 as 1900 to 1999.
  const clock = new Date(0).setUTCFullYear(year, 0, 1);
  return new Date(instantOf(clock, zone) ?? clock);
}
