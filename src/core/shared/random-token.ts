import { hash, randomBytes } from 'node:crypto';

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
