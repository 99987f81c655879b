import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { isTrashed } from './photo.js';
import type { PhotoFilters } from './photo-query.js';
import type { PhotoReads } from './photo-repository.js';

/** Bits of a hash. */
const BITS = 64;
/** The largest distance that can be searched for: beyond it, most pictures have nothing in common. */
export const MAX_DISTANCE = 16;
/** Up to this distance pictures are nearly always the same one, resized, compressed again or slightly cropped (docs/decisions/0051). */
export const DEFAULT_DISTANCE = 6;

/** Which photos a client wants to see the likes of. */
export interface SimilarTo {
  readonly photoId: Id;
  readonly maxDistance: number;
}

/** Photos other than this one whose hash differs from its hash in at most so many bits. */
export interface SimilarFilter extends SimilarTo {
  readonly phash: string;
}

/** In how many bits two perceptual hashes differ: 0 to 64. */
export function hashDistance(one: string, other: string): number {
  const differing = (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).padStart(BITS, '0');
  return differing.replaceAll('0', '').length;
}

/**
 * The filter that finds them; null when the photo has no hash, so that none is like it. Errors: `not_found` (photo; one in the trash too,
 * unless the list includes the trash).
 */
export async function similarFilter(
  photos: PhotoReads,
  { photoId, maxDistance }: SimilarTo,
  { trashed }: PhotoFilters,
): Promise<SimilarFilter | null> {
  const photo = await photos.get(photoId);
  if (photo === null || (isTrashed(photo) && trashed === 'false')) throw notFound('photo');
  return photo.phash === null ? null : { photoId, maxDistance, phash: photo.phash };
}
