import { randomBytes } from 'node:crypto';
import { hashRandomToken } from '../shared/random-token.js';
import { base32 } from './base32.js';

const RECOVERY_CODES = 10;
/** 80 bits: too many to guess, even for somebody who has the hashes. */
const BYTES = 10;

/** Codes that replace a lost second factor, each once: `K7QD-2MXA-ZP4T-WN6C`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    (base32.encode(randomBytes(BYTES)).match(/.{4}/g) ?? []).join('-'),
  );
}

/** The stored hash of a code, however it was typed: hyphens, spaces and case do not matter. */
export function hashRecoveryCode(code: string): string {
  return hashRandomToken(code.replace(/[\s-]/g, '').toUpperCase());
}
