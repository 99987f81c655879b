import { type CustomerDirectory, forEachCustomer } from '../customers/customer-directory.js';
import type { GeoPoint } from '../media/picture-metadata.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';

/** Where a photo was taken, in words. Derived from its location. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** In the country's first division: a state, a province, a region. Null where no city is near. */
  readonly region: string | null;
  readonly city: string | null;
}

/** Made for the first country that is named: reading the names of all of them would take 10 ms of every start. */
let english: Intl.DisplayNames | undefined;

/** In English; what has no name, or is no code, remains as it is. */
export function countryName(code: string): string {
  // Node 22 and newer take nothing else.
  if (!/^[a-z]{2}$/i.test(code)) return code;
  english ??= new Intl.DisplayNames('en', { type: 'region' });
  return english.of(code) ?? code;
}

/** Everything that names the place, for people and for a search. */
export function placeNames({ country, region, city }: Place): string[] {
  return [...new Set([city, region, countryName(country)])].filter((name) => name !== null);
}

/** Names the places of positions, without asking another service. */
export interface Gazetteer {
  /**
   * The country of a position, by its borders on land and at sea, and the region and city nearest to it in that country. Null where there is
   * no country: at sea beyond territorial waters.
   */
  placeOf(position: Pick<GeoPoint, 'latitude' | 'longitude'>): Promise<Place | null>;
}

/** Null without a position. */
export function placeAt(
  gazetteer: Gazetteer,
  position: Pick<GeoPoint, 'latitude' | 'longitude'> | null,
): Promise<Place | null> {
  return position === null ? Promise.resolve(null) : gazetteer.placeOf(position);
}

/** In one transaction: others who want one of these photos wait for it. */
const BATCH = 50;

type UpdateUses = { store: Transactional<'photos'>; customers: CustomerDirectory; gazetteer: Gazetteer };

/**
 * Looks up the places of photos that an earlier version stored, and has them found by all that is searched today. Their versions stay: no one
 * changed them. May run in several processes at once and be stopped at any time: the next run continues.
 */
export function updateOutdatedPhotos(uses: UpdateUses, stopping?: AbortSignal): Promise<void> {
  return forEachCustomer(
    async (window) => (await uses.customers.page(window)).map(({ id }) => id),
    async (customerId) => {
      while (!stopping?.aborted && (await updateBatch(uses, customerId)));
    },
    stopping,
  );
}

/** Whether there may be more. */
async function updateBatch({ store, gazetteer }: UpdateUses, customerId: Id): Promise<boolean> {
  const outdated = await store.query(customerId, ({ photos }) => photos.outdated(BATCH));
  if (outdated.length === 0) return false;
  await store.transaction(customerId, async ({ photos }) => {
    const locked = await photos.lock(outdated.map(({ id }) => id));
    for (const photo of locked) await photos.update({ ...photo, place: await placeAt(gazetteer, photo.location) });
    await photos.markCurrent(locked.map(({ id }) => id));
  });
  return true;
}
