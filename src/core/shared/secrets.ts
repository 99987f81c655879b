import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { base64url, fromBase64url, joined } from './bytes.js';

/** Signing secrets, newest first: the first signs, all verify (rotation). */
export type Secrets = readonly [string, ...string[]];

/** The purposes of signatures. Bound into the signature, so that a token made for one purpose is invalid for another. */
export type SignedPurpose =
  | 'cursor'
  | 'upload'
  | 'rendition'
  | 'device'
  | 'pending'
  | 'accounts'
  | 'passkey'
  | 'provider'
  | 'share'
  | 'shared-picture'
  | 'recovery'
  | 'email';

const MAC_BYTES = 16;

/** `base64url(payload ‖ HMAC-SHA-256 truncated to 16 bytes)`. The payload is readable by anyone who has the token. */
export function signToken(secrets: Secrets, purpose: SignedPurpose, payload: unknown): string {
  const body = new TextEncoder().encode(JSON.stringify(payload));
  return base64url(joined(body, mac(secrets[0], purpose, body)));
}

/** The payload of a token that one of the secrets signed for this purpose, otherwise null. Only the canonical spelling is accepted. */
export function readToken(secrets: Secrets, purpose: SignedPurpose, token: string): unknown {
  if (token.length < 24 || token.length > 4000) return null;
  const bytes = fromBase64url(token);
  if (bytes === null || bytes.length <= MAC_BYTES) return null;
  const body = bytes.subarray(0, bytes.length - MAC_BYTES);
  const signature = bytes.subarray(bytes.length - MAC_BYTES);
  if (!secrets.some((secret) => timingSafeEqual(mac(secret, purpose, body), signature))) return null;
  return JSON.parse(new TextDecoder().decode(body));
}

/** A name for a value that must not be learned: the same for the same value, and not to be found by trying values without a secret. */
export function pseudonym(secrets: Secrets, purpose: SignedPurpose, value: string): string {
  return base64url(mac(secrets[0], purpose, new TextEncoder().encode(value)));
}

function mac(secret: string, purpose: SignedPurpose, body: Uint8Array): Uint8Array {
  return createHmac('sha256', `${purpose}\n${secret}`).update(body).digest().subarray(0, MAC_BYTES);
}

/** The purposes of sealed texts. Bound into the key, so that a text sealed for one purpose cannot be opened for another. */
export type SealedPurpose = 'webhook' | 'delivery' | 'source' | 'share' | 'factor' | 'enrolment' | 'response' | 'mail';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME_LENGTH = 8;

/**
 * A text that only the holder of one of the secrets can read: `v1.` name of the key `.` nonce, ciphertext and tag in hex. A copy of the
 * database alone is useless.
 */
export function seal(secrets: Secrets, purpose: SealedPurpose, text: string): string {
  const key = keyOf(secrets[0], purpose);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `v1.${nameOf(key)}.${parts.map((part) => part.toString('hex')).join('')}`;
}

/** The text that was sealed with one of the secrets; null when none of them opens it. */
export function unseal(secrets: Secrets, purpose: SealedPurpose, sealed: string): string | null {
  const [version, name, hex = ''] = sealed.split('.');
  const key = secrets.map((secret) => keyOf(secret, purpose)).find((each) => nameOf(each) === name);
  const bytes = bytesOf(hex);
  if (version !== 'v1' || key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
  cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)).toString('utf8');
  try {
    return text + cipher.final('utf8');
  } catch {
    return null;
  }
}

/** Whether the newest secret sealed it. What an older one sealed must be sealed again before that one is removed. */
export function isSealedByNewest(secrets: Secrets, purpose: SealedPurpose, sealed: string): boolean {
  return sealed.split('.')[1] === nameOf(keyOf(secrets[0], purpose));
}

/** Sealed by the newest secret. A text that none of them opens stays as it is: its secret may come back. */
export function reseal(secrets: Secrets, purpose: SealedPurpose, sealed: string): string {
  const text = unseal(secrets, purpose, sealed);
  return text === null ? sealed : seal(secrets, purpose, text);
}

function keyOf(secret: string, purpose: SealedPurpose): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `sealed/${purpose}`, 32));
}

/** Identifies keys without revealing them. */
function nameOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, NAME_LENGTH);
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/[0-9a-f]{2}/g) ?? [], (byte) => Number.parseInt(byte, 16));
}

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
