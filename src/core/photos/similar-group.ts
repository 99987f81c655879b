import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Photo, PhotoWithTags } from './photo.js';
import type { PhotoPair } from './similar-photo-repository.js';

/** The most photos that are shown, kept or separated together. */
export const MAX_GROUP = 20;

/** Photos of which each is similar to at least one other; by id ascending. */
export type SimilarGroup = readonly PhotoWithTags[];

/** The photo to keep, unless somebody knows better: the one with the most pixels, then the most bytes, then the one that was there first. */
export function bestOf<T extends Pick<Photo, 'id' | 'width' | 'height' | 'sizeBytes'>>(
  group: readonly T[],
): T | undefined {
  const pixels = ({ width, height }: T) => width * height;
  return group.toSorted((a, b) => pixels(b) - pixels(a) || b.sizeBytes - a.sizeBytes || a.id - b.id)[0];
}

/** All pairs of these photos. */
export function pairsOf(ids: readonly Id[]): readonly PhotoPair[] {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  return sorted.flatMap((photoId, at) => sorted.slice(at + 1).map((otherId) => ({ photoId, otherId })));
}

/** Errors: `invalid_request`. */
export function requireGroup(ids: readonly Id[]): void {
  if (ids.length <= MAX_GROUP) return;
  const message = `Choose at most ${MAX_GROUP} photos.`;
  throw invalid({ field: 'ids', code: 'too_many', message, max: MAX_GROUP });
}
