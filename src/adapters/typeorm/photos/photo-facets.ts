import type { PhotoFilters } from '../../../core/photos/photo-query.js';

/** As in the column `facets`: one digit for each property that has few values. */
export interface Facets {
  /** Null means not rated. */
  readonly rating: number | null;
  readonly aspect: 'portrait' | 'square' | 'landscape';
  readonly located: boolean;
  readonly tagged: boolean;
}

const RATINGS = [null, 0, 1, 2, 3, 4, 5] as const;
const ASPECTS = ['portrait', 'square', 'landscape'] as const;
const NO_YES = [false, true] as const;

/** Every combination, at the index that is its number. */
const all: readonly Facets[] = RATINGS.flatMap((rating) =>
  ASPECTS.flatMap((aspect) =>
    NO_YES.flatMap((located) => NO_YES.map((tagged) => ({ rating, aspect, located, tagged }))),
  ),
);

/** The numbers that these filters accept; undefined when they accept all. */
export function facetsOf(filters: PhotoFilters): readonly number[] | undefined {
  const { minRating, aspect, hasLocation, untagged } = filters;
  if ([minRating, aspect, hasLocation, untagged].every((filter) => filter === undefined)) return undefined;
  const fits = (facets: Facets) =>
    (minRating === undefined || (facets.rating !== null && facets.rating >= minRating)) &&
    (aspect ?? facets.aspect) === facets.aspect &&
    (hasLocation ?? facets.located) === facets.located &&
    untagged !== facets.tagged;
  return all.flatMap((facets, number) => (fits(facets) ? [number] : []));
}

/** What a number of the column means. */
export function facetsNumbered(number: number): Facets {
  const facets = all[number];
  if (facets === undefined) throw new Error(`There are no facets ${number}.`);
  return facets;
}
