import { randomFillSync } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/**
 * 48 bits of milliseconds, then 80 random bits, in 26 characters that sort by time (the ULID specification).
 * @param milliseconds Since 1970.
 */
export function newUlid(milliseconds: number): string {
  let time = '';
  let rest = milliseconds;
  for (let place = 0; place < TIME_CHARACTERS; place += 1) {
    time = CROCKFORD[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let random = '';
  // Five bits of each byte, requested all at once: one by one would take longer than routing a request.
  for (const byte of randomFillSync(new Uint8Array(RANDOM_CHARACTERS))) random += CROCKFORD[byte % 32];
  return time + random;
}
