import type { SimilarFilter } from '../../../core/photos/similar/similar-photo.js';

const QUARTERS = 4;
const QUARTER_BITS = 16;

/**
 * SQL for the other photos of `$1` whose hash is this near: `photo_id` and `distance`. Hashes that differ in few bits have a quarter that
 * differs in very few. So each quarter is looked up with every value that is so near to its own, and only what that finds is compared as a
 * whole.
 */
export function nearPhotos({ photoId, phash, maxDistance }: SimilarFilter, place: (value: unknown) => string): string {
  const bits = BigInt.asIntN(64, BigInt(`0x${phash}`)).toString();
  const distance = `bit_count((h.bits # ${place(bits)}::bigint)::bit(64))::integer`;
  const [photo, most] = [place(photoId), place(maxDistance)];
  const branches = nearestOfQuarters(maxDistance).flatMap((nearest, quarter) => {
    if (nearest < 0) return [];
    const own = Number.parseInt(phash.slice(4 * quarter, 4 * (quarter + 1)), 16);
    const values = place(hashMasks(nearest).map((mask) => own ^ mask));
    return `SELECT h.photo_id, ${distance} AS distance FROM photo_hashes h
      WHERE h.customer_id = $1 AND h.quarter_${quarter} = ANY(${values}::integer[]) AND ${distance} <= ${most}::integer AND h.photo_id <> ${photo}`;
  });
  return branches.join(' UNION ');
}

/**
 * In how many bits each quarter may differ so that no near hash is missed: if each differed in one more, all together would in more than
 * `maxDistance`. Below 0: the quarter need not be looked up.
 */
export function nearestOfQuarters(maxDistance: number): readonly number[] {
  const sum = maxDistance + 1 - QUARTERS;
  return Array.from({ length: QUARTERS }, (_, at) => Math.floor((sum + QUARTERS - 1 - at) / QUARTERS));
}

/** The numbers of 16 bits of which at most so many are set: by these the quarters of near hashes differ. */
export function hashMasks(bits: number): readonly number[] {
  const all = [0];
  for (let from = 0, set = 0; set < bits; set += 1) {
    const last = all.slice(from);
    from = all.length;
    for (const mask of last) {
      for (let bit = 1 << (31 - Math.clz32(mask) + 1); bit < 1 << QUARTER_BITS; bit <<= 1) all.push(mask | bit);
    }
  }
  return all;
}
