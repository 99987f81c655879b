import { hash, randomBytes, randomFillSync, randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 256 random bits in 43 characters that are safe in a URL. */
export function newRandomToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The stored hash of a token with 256 random bits: 64 hex digits. SHA-256 is right for them: there is nothing to guess, and finding a token is
 * one indexed query.
 */
export function hashRandomToken(token: string): string {
  return hash('sha256', token);
}

/** A number that is as random as so many bytes. */
export function randomNumber(bytes: number): bigint {
  return BigInt(`0x${randomBytes(bytes).toString('hex')}`);
}

/** A number from 0 to below 1. */
export function randomFraction(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}

/** The last `length` digits of a number, written in digits and letters. */
export function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let place = 0; place < length; place += 1) {
    text = ALPHABET[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
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
