import type { components } from './api-types.js';
import { WebhookVerificationError } from './errors.js';

type Schemas = components['schemas'];

/** An event; its `type` says which. Ignore types that you do not know: new ones may come. */
export type WebhookEvent = {
  [Name in keyof Schemas]: Name extends `${string}Event` ? Schemas[Name] : never;
}[keyof Schemas];

export interface WebhookRequest {
  /** The body exactly as received: JSON that was parsed and serialized again has another signature. */
  readonly body: string | Uint8Array;
  /** The request's headers: those of `fetch`, of node:http, or an object; names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface VerifyOptions {
  /** The greatest age of the timestamp, and the furthest it may be ahead, in seconds. Default 300. */
  readonly toleranceSeconds?: number;
  /** Now, for tests. */
  readonly now?: Date;
}

const PREFIX = 'whsec_';

/**
 * Verifies that a webhook request comes from the service and was not modified (Standard Webhooks 1.0), and returns its event.
 * @param secret `whsec_…`, or several of them during a rotation.
 * @throws WebhookVerificationError when it is not genuine: answer 401 and do nothing with it.
 */
export async function verifyWebhook(
  { body, headers }: WebhookRequest,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const read = (name: string) => {
    const get = (named: Exclude<typeof headers, Headers>) =>
      Object.entries(named).find(([key]) => key.toLowerCase() === name)?.[1];
    const value = headers instanceof Headers ? headers.get(name) : get(headers);
    const text = typeof value === 'string' ? value : value?.join(' ');
    if (!text) throw new WebhookVerificationError(`The header ${name} is missing.`);
    return text;
  };
  const [id, timestamp, signatures] = [read('webhook-id'), read('webhook-timestamp'), read('webhook-signature')];
  const age = now.getTime() / 1000 - Number(timestamp);
  if (!/^\d{1,15}$/.test(timestamp))
    throw new WebhookVerificationError('webhook-timestamp is not a number of seconds.');
  if (age > toleranceSeconds) throw new WebhookVerificationError('The request is too old.');
  if (age < -toleranceSeconds) throw new WebhookVerificationError('The request is dated in the future.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const keys = await Promise.all(secrets.map(keyOf));
  const given = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? [base64(each.slice(3))] : []));
  for (const key of keys) {
    for (const signature of given) {
      // WebCrypto compares in constant time.
      if (signature !== null && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError('None of the signatures matches the secret and the body.');
}

async function keyOf(secret: string) {
  const bytes = base64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === null || bytes.length === 0) throw new TypeError(`A webhook secret begins with ${PREFIX}.`);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function base64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
