import type { Caller } from '../access/caller.js';
import type { Readable } from '../shared/transactional.js';
import { searchTerms } from './photo-query.js';
import { countryName } from './places.js';

/** Photos with one value are counted up to this number: a count must not take longer in a larger library. */
export const MAX_COUNTED = 1000;
/** Values of one filter that are offered. */
const MAX_VALUES = 200;

/** Photos that have all of these in common, counted up to a limit. */
export interface PhotoKind {
  /** Null means not rated. */
  readonly rating: number | null;
  readonly aspect: 'portrait' | 'square' | 'landscape';
  readonly located: boolean;
  /** While a deleted tag is being removed from its photos, some may still count as tagged. */
  readonly tagged: boolean;
  readonly favorite: boolean;
  readonly contentType: string;
  readonly photos: number;
}

/** A value of a filter, and how many photos have it, at most `MAX_COUNTED`. */
export interface CountedValue {
  readonly value: string;
  readonly photos: number;
}

/** The photos to count in one go: all outside the trash, or all in it. */
export interface ValuesRequest {
  readonly trashed: boolean;
  /** At most so many photos are counted for each value … */
  readonly counted: number;
  /** … and at most so many values are returned. */
  readonly limit: number;
}

/** The values by which a library can be filtered, most important first where order matters. */
export interface FilterValues {
  /** `1` to `5`: at least so many stars. */
  readonly ratings: readonly CountedValue[];
  readonly aspects: readonly CountedValue[];
  readonly contentTypes: readonly CountedValue[];
  readonly located: { readonly yes: number; readonly no: number };
  readonly tagged: { readonly yes: number; readonly no: number };
  readonly favorite: { readonly yes: number; readonly no: number };
  /** Make and model, as cameras write them. */
  readonly cameras: readonly CountedValue[];
  /** Names as cameras write them; lenses whose names cannot be searched by their words are left out. */
  readonly lenses: readonly CountedValue[];
  /** ISO 3166-1 alpha-2, in the order of their names. */
  readonly countries: readonly CountedValue[];
}

/** The values that photos have, in the library or in the trash, for a person to choose from. */
export function readFilterValues(
  { store }: { store: Readable<'photos'> },
  { customerId }: Pick<Caller, 'customerId'>,
  { trashed }: { readonly trashed: boolean },
): Promise<FilterValues> {
  return store.query(customerId, async ({ photos }) => {
    const request = { trashed, counted: MAX_COUNTED, limit: MAX_VALUES };
    const kinds = await photos.kinds(request);
    // Exact below the limit: a kind that was not counted to its end reaches it alone.
    const count = (fits: (kind: PhotoKind) => boolean) =>
      kinds.filter(fits).reduce((sum, { photos }) => Math.min(MAX_COUNTED, sum + photos), 0);
    const countEach = (values: readonly string[], fits: (kind: PhotoKind, value: string) => boolean) =>
      values
        .map((value) => ({ value, photos: count((kind) => fits(kind, value)) }))
        .filter((counted) => counted.photos > 0);
    const contentTypes = [...new Set(kinds.map(({ contentType }) => contentType))].sort();
    return {
      ratings: countEach(['1', '2', '3', '4', '5'], ({ rating }, least) => rating !== null && rating >= Number(least)),
      aspects: countEach(['landscape', 'portrait', 'square'], ({ aspect }, value) => aspect === value),
      contentTypes: countEach(contentTypes, ({ contentType }, value) => contentType === value),
      located: { yes: count(({ located }) => located), no: count(({ located }) => !located) },
      tagged: { yes: count(({ tagged }) => tagged), no: count(({ tagged }) => !tagged) },
      favorite: { yes: count(({ favorite }) => favorite), no: count(({ favorite }) => !favorite) },
      cameras: byName(await photos.cameras(request)),
      lenses: byName(await photos.lenses(request)).filter(({ value }) => searchTerms(value)?.length),
      countries: (await photos.countries(request)).toSorted((a, b) =>
        countryName(a.value).localeCompare(countryName(b.value), 'en'),
      ),
    };
  });
}

function byName(values: readonly CountedValue[]): readonly CountedValue[] {
  return values.toSorted((a, b) => (a.value < b.value ? -1 : 1));
}
