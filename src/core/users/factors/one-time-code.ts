import { createHmac, randomBytes } from 'node:crypto';
import { SECOND } from '../../shared/clock.js';
import { hashRandomToken } from '../../shared/secrets.js';

/** The parameters that authenticator apps assume unless told otherwise: SHA-1, six digits, thirty seconds (RFC 6238). */
export const CODE_DIGITS = 6;
const STEP_SECONDS = 30;
/** Steps before and after the current one whose codes are accepted: clocks differ, and typing takes time (RFC 6238, section 5.2). */
const TOLERANCE = 1;
/** The length of the hash, as RFC 4226 recommends (section 4). */
const SECRET_BYTES = 20;

/** The name of the service in authenticator apps. */
export const CODE_ISSUER = 'Photo Service';

/** A secret that an authenticator app and the service share, in base32, as apps take it. */
export function newCodeSecret(): string {
  return base32.encode(randomBytes(SECRET_BYTES));
}

/** The time step of now whose code this is; null when it is none that is valid now. Of several, the first. */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  const current = Math.floor(now.getTime() / SECOND / STEP_SECONDS);
  for (let step = current - TOLERANCE; step <= current + TOLERANCE; step += 1) {
    if (codeAt(secret, step) === code) return step;
  }
  return null;
}

/** The code of a time step (RFC 4226, section 5.3). */
export function codeAt(secret: string, step: number): string {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const digest = createHmac('sha1', base32.decode(secret)).update(new Uint8Array(counter.buffer)).digest();
  const view = new DataView(digest.buffer, digest.byteOffset, digest.length);
  const number = view.getUint32(view.getUint8(digest.length - 1) & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
}

/** Returns what an app reads from a QR code. `account`: how the app names the entry. */
export function codeSecretUri(secret: string, account: string): string {
  const label = `${encodeURIComponent(CODE_ISSUER)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(CODE_ISSUER)}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, section 6, without padding. */
const base32 = {
  encode(bytes: Uint8Array): string {
    const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    const groups = bits.match(/.{1,5}/g) ?? [];
    return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
  },

  /** Characters of no meaning count as `A`: only for texts that `encode` made. */
  decode(text: string): Uint8Array {
    const bits = [...text].map((char) => Math.max(0, ALPHABET.indexOf(char)).toString(2).padStart(5, '0')).join('');
    return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  },
};

const RECOVERY_CODES = 10;
/** 80 bits: too many to guess, even for an attacker who has the hashes. */
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
