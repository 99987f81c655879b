import type { Id } from '../../shared/ids.js';

const BITS = 64;
/** The largest distance that can be searched for: beyond it, most pictures have nothing in common. */
export const MAX_DISTANCE = 16;
/** Up to this distance pictures are nearly always the same one, resized, compressed again or slightly cropped (bench/measurements.md). */
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

/** Two photos of which it does not matter which is which: the one with the lower id comes first. */
export interface PhotoPair {
  readonly photoId: Id;
  readonly otherId: Id;
}

/** A photo, and another that is similar to it. */
export interface Similarity {
  readonly photoId: Id;
  readonly similarId: Id;
}

/** A piece of a walk through all photos by id. */
export interface SimilarityScan {
  /** Photos that are similar to others, all of which have higher ids; ascending. */
  readonly leads: readonly Id[];
  /** Where the walk goes on; null at its end. */
  readonly next: Id | null;
}

/**
 * Which photos of the bound customer are similar: neither is in the trash, their hashes differ in at most `maxDistance` bits, and no person has
 * separated them. Postgres compares them (`similarities`, adapters/typeorm/similar/similar-photo.repository.ts).
 */
export interface SimilarPhotoReads {
  /** Compares the next `limit` photos after `after` that have a hash with all others. */
  scan(after: Id | null, limit: number, maxDistance: number): Promise<SimilarityScan>;
  /** Returns the pairs of these with photos that are similar, by both ids ascending; for each at most `limit`, those with the lowest ids. */
  similarTo(ids: readonly Id[], limit: number, maxDistance: number): Promise<readonly Similarity[]>;
}

export interface SimilarPhotoRepository extends SimilarPhotoReads {
  /** From now on they are not similar. All must exist. Returns the pairs that were not separated already. */
  separate(pairs: readonly PhotoPair[], at: Date): Promise<readonly PhotoPair[]>;
  /** Undoes it; pairs that are not separated are ignored. A photo that is deleted takes its pairs along. */
  rejoin(pairs: readonly PhotoPair[]): Promise<void>;
}

declare module '../../shared/transactional.js' {
  interface Reads {
    readonly similarPhotos: SimilarPhotoReads;
  }
  interface Repositories {
    readonly similarPhotos: SimilarPhotoRepository;
  }
}
