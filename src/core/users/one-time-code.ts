import { createHmac, randomBytes } from 'node:crypto';
import { SECOND } from '../shared/clock.js';
import { base32 } from './base32.js';

/** What authenticator apps assume unless told otherwise: SHA-1, six digits, thirty seconds (RFC 6238). */
export const CODE_DIGITS = 6;
const STEP_SECONDS = 30;
/** Steps before and after the current one whose codes are accepted: clocks differ, and typing takes time (RFC 6238, section 5.2). */
const TOLERANCE = 1;
/** As many as the hash has, as RFC 4226 recommends (section 4). */
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

/** What an app reads from a QR code. `account`: how the app names the entry. */
export function codeSecretUri(secret: string, account: string): string {
  const label = `${encodeURIComponent(CODE_ISSUER)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(CODE_ISSUER)}`;
}
