import { createHmac, timingSafeEqual } from 'node:crypto';
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
  // No bytes are encoded in 4n + 1 characters; atob would throw.
  if (!/^[A-Za-z0-9_-]+$/.test(token) || token.length % 4 === 1) return null;
  const bytes = fromBase64url(token);
  if (bytes.length <= MAC_BYTES || base64url(bytes) !== token) return null;
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
