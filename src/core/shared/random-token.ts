import { hash, randomBytes } from 'node:crypto';

/** 256 random bits in 43 characters that are safe in a URL. */
export function newRandomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored hash of such a token: 64 hex digits. SHA-256 is right for 256 random bits, as there is nothing to guess. */
export function hashRandomToken(token: string): string {
  return hash('sha256', token);
}
