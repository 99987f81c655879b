import { createHmac, randomBytes } from 'node:crypto';
import { type ChangeType, changeTypes } from '../events/event.js';
import { fromBase64 } from '../shared/bytes.js';
import { after, DAY, HOUR } from '../shared/clock.js';
import { type FieldError, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, codePoints } from '../shared/text.js';
import type { WebhookSender } from './webhook-sender.js';

/** Who disabled an endpoint: its owner, its own response 410, or five days without a success. */
export type DisabledReason = 'by_owner' | 'gone' | 'failing';

/** Where events of a customer are sent. */
export interface WebhookEndpoint {
  readonly id: Id;
  readonly customerId: Id;
  readonly url: string;
  readonly description: string | null;
  /** Types it subscribes to; empty: every one, including those of later versions. */
  readonly events: readonly ChangeType[];
  readonly status: 'enabled' | 'disabled';
  /** Both are set while it is disabled. */
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
  /** Sealed (core/shared/secrets.ts): signing needs the secret itself, so a hash would not do. */
  readonly secret: string;
  /** The previous one, sealed too: both sign until it expires. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: Date | null;
  /** The first failure since the last success; null while there is none. */
  readonly failingSince: Date | null;
  /**
   * Null for an endpoint on the network, to which the service sends. Otherwise a program listens (`phs listen`), sends the events on itself,
   * and postpones this for as long as it runs; afterwards the endpoint is removed.
   */
  readonly listeningUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Its name in the audit log: the host, because the path of a URL may be a secret. */
export function endpointAuditSubject({ id, url }: Pick<WebhookEndpoint, 'id' | 'url'>) {
  return { id, name: new URL(url).host };
}

export type NewWebhookEndpoint = Omit<WebhookEndpoint, 'id'>;

export const MAX_ENDPOINTS = 20;
/** An endpoint is disabled after so long without a success. */
export const FAILING_DAYS = 5;
/** Hours in which the previous secret also signs after a rotation. */
export const ROTATION_HOURS = 24;

/** It is enabled from the beginning, and nothing has been sent to it yet. */
export function newEndpoint(
  given: Pick<WebhookEndpoint, 'customerId' | 'url' | 'description' | 'events' | 'secret' | 'listeningUntil'>,
  at: Date,
): NewWebhookEndpoint {
  return {
    ...given,
    status: 'enabled',
    disabledAt: null,
    disabledReason: null,
    previousSecret: null,
    previousSecretUntil: null,
    failingSince: null,
    createdAt: at,
    updatedAt: at,
  };
}

/** If it was disabled, its waiting deliveries are sent after all, and its failures are reset. */
export function enable(endpoint: WebhookEndpoint, at: Date): WebhookEndpoint {
  if (endpoint.status === 'enabled') return endpoint;
  return {
    ...endpoint,
    status: 'enabled',
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
    updatedAt: at,
  };
}

/** Nothing more is sent to it, and no new events are stored for it. */
export function disable(endpoint: WebhookEndpoint, reason: DisabledReason, at: Date): WebhookEndpoint {
  if (endpoint.status === 'disabled') return endpoint;
  return { ...endpoint, status: 'disabled', disabledAt: at, disabledReason: reason, updatedAt: at };
}

export function rotateSecret(endpoint: WebhookEndpoint, secret: string, at: Date): WebhookEndpoint {
  const previousSecretUntil = after(at, ROTATION_HOURS * HOUR);
  return { ...endpoint, secret, previousSecret: endpoint.secret, previousSecretUntil, updatedAt: at };
}

/** The sealed secrets that currently sign, newest first. */
export function signingSecrets(endpoint: WebhookEndpoint, at: Date): readonly string[] {
  const { secret, previousSecret, previousSecretUntil } = endpoint;
  const overlap = previousSecretUntil !== null && at.getTime() < previousSecretUntil.getTime();
  return previousSecret !== null && overlap ? [secret, previousSecret] : [secret];
}

export function recordSuccess(endpoint: WebhookEndpoint): WebhookEndpoint {
  return endpoint.failingSince === null ? endpoint : { ...endpoint, failingSince: null };
}

/** Whether its program has ended without removing it. */
export function isAbandoned({ listeningUntil }: WebhookEndpoint, at: Date): boolean {
  return listeningUntil !== null && listeningUntil.getTime() < at.getTime();
}

/**
 * After a failed attempt, unless a program listens, which ends by itself. 410 Gone disables immediately; otherwise it takes five days of
 * nothing but failures. The audit log tells of it (`note`, send.ts), no mail and no event.
 */
export function recordFailure(endpoint: WebhookEndpoint, responseStatus: number | null, at: Date): WebhookEndpoint {
  if (endpoint.listeningUntil !== null) return endpoint;
  if (responseStatus === 410) return disable(endpoint, 'gone', at);
  const failingSince = endpoint.failingSince ?? at;
  const failing = { ...endpoint, failingSince };
  const forTooLong = after(failingSince, FAILING_DAYS * DAY).getTime() <= at.getTime();
  return forTooLong ? disable(failing, 'failing', at) : failing;
}

export interface EndpointInput {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  /** Names of types; empty: every one. */
  readonly events?: readonly string[] | undefined;
}

export const MAX_ENDPOINT_DESCRIPTION = 200;

/**
 * The input in the form in which it is stored. Absent fields stay absent. Errors: `invalid_request`, for a URL also when its name resolves to a
 * forbidden address.
 */
export async function endpointValues(
  { webhooks }: { webhooks: WebhookSender },
  customerId: Id,
  input: EndpointInput,
): Promise<Partial<Pick<WebhookEndpoint, 'url' | 'description' | 'events'>>> {
  const description = input.description === undefined ? undefined : cleanText(input.description ?? '') || null;
  const errors: FieldError[] = [];
  const refusal = input.url === undefined ? null : await webhooks.refusal(input.url.trim(), customerId);
  if (refusal !== null) errors.push({ field: 'url', code: 'invalid_format', message: refusal });
  if (codePoints(description ?? '') > MAX_ENDPOINT_DESCRIPTION) {
    const message = `description must have at most ${MAX_ENDPOINT_DESCRIPTION} characters.`;
    errors.push({ field: 'description', code: 'too_long', message, max: MAX_ENDPOINT_DESCRIPTION });
  }
  for (const name of input.events ?? []) {
    if ((changeTypes as readonly string[]).includes(name)) continue;
    const message = `${name} is not an event type. Valid types: ${changeTypes.join(', ')}.`;
    errors.push({ field: 'events', code: 'invalid_format', message });
  }
  requireValid(errors);
  return {
    ...(input.url !== undefined && { url: new URL(input.url.trim()).href }),
    ...(description !== undefined && { description }),
    ...(input.events !== undefined && { events: changeTypes.filter((type) => input.events?.includes(type)) }),
  };
}

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
  const keys = secrets.map((secret) => fromBase64(secret.slice(PREFIX.length)));
  const macs = keys.map((key) => createHmac('sha256', key).update(content).digest('base64'));
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': macs.map((mac) => `v1,${mac}`).join(' '),
  };
}
