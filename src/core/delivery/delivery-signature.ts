import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The signature of an address, which whoever has the key's secret makes without asking: base64url, without padding, of the HMAC-SHA-256 under
 * the secret's characters.
 * @param signed The part of the address that is signed, as it is sent: what picture, for whom, and until when.
 */
export function deliverySignature(secret: string, signed: string): string {
  return createHmac('sha256', secret).update(signed).digest('base64url');
}

/** Compares in a time that does not depend on where two signatures differ. */
export function isDeliverySignature(secret: string, signed: string, signature: string): boolean {
  const [expected, given] = [bytesOf(deliverySignature(secret, signed)), bytesOf(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
