import type { Id } from '../shared/ids.js';

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
