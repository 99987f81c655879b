import { randomFillSync } from 'node:crypto';

/** A whole number from 1 to 2^53−1, never reused. */
export type Id = number;

/** Parses an id in a path or list: decimal ASCII digits, no sign, no leading zero. Null for anything else. */
export function parseId(text: string): Id | null {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

export function isId(value: unknown): value is Id {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/**
 * 48 bits of milliseconds, then 80 random bits, in 26 characters that sort by time (the ULID specification).
 * @param milliseconds Since 1970.
 * @param random Where the bits come from, for who needs many.
 */
export function newUlid(milliseconds: number, random: RandomBytes = new RandomBytes(RANDOM_CHARACTERS)): string {
  let time = '';
  let rest = milliseconds;
  for (let place = 0; place < TIME_CHARACTERS; place += 1) {
    time = CROCKFORD[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let characters = '';
  // Five bits of each byte.
  for (const byte of random.take(RANDOM_CHARACTERS)) characters += CROCKFORD[byte % 32];
  return time + characters;
}

/** Random bytes, requested for many at once: a request for each takes longer than routing one of HTTP. None is given out twice. */
export class RandomBytes {
  private readonly bytes: Uint8Array;
  private used: number;

  /** @param size How many are requested at once. */
  constructor(size = 4096) {
    this.bytes = new Uint8Array(size);
    this.used = size;
  }

  /** At most as many as are requested at once. To be read before the next call. */
  take(count: number): Uint8Array {
    if (this.used + count > this.bytes.length) {
      randomFillSync(this.bytes);
      this.used = 0;
    }
    this.used += count;
    return this.bytes.subarray(this.used - count, this.used);
  }
}
