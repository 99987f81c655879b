import { createHmac, randomBytes } from 'node:crypto';
import { fromBase64 } from '../shared/bytes.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 24;

/** `whsec_` and 192 random bits in base64 (Standard Webhooks requires 24 to 64 bytes). */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Whether it could be one: 24 to 64 bytes in base64, as Standard Webhooks requires. */
export function isWebhookSecret(text: string): boolean {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/.exec(text) ?? [];
  return encoded !== '' && encoded.length % 4 === 0;
}

/**
 * The headers that prove who sent a body, and when (Standard Webhooks 1.0): HMAC-SHA-256 over `id.timestamp.body`, once with each secret,
 * so that a receiver may use either during a rotation.
 */
export function signedHeaders(
  { eventId, body, at }: { eventId: string; body: string; at: Date },
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${eventId}.${timestamp}.${body}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${mac(secret, content)}`).join(' '),
  };
}

function mac(secret: string, content: string): string {
  const key = fromBase64(secret.slice(PREFIX.length));
  return createHmac('sha256', key).update(content).digest('base64');
}
