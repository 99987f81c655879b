import { service } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/customer.js';
import { type CustomerDirectory, forEachCustomer } from '../customers/customer-directory.js';
import { after, type Clock, MINUTE } from '../shared/clock.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';
import { createWebhookEndpoint, deleteWebhookEndpoint, type EndpointWithSecret } from './endpoints.js';
import { type EndpointInput, isAbandoned, isWebhookSecret } from './webhook-endpoint.js';
import type { WebhookSender } from './webhook-sender.js';

/** A program that has not said for so long that it listens has ended. */
const LISTENING_MS = 2 * MINUTE;

/**
 * Creates an endpoint whose events the caller claims and sends on by itself. It has to call `keepListening` more often than every two
 * minutes, and to delete the endpoint at its end. Errors: `invalid_request`, `limit_reached`, `not_found` (customer).
 * @param input.secret What signs; by default a new one.
 */
export async function startListening(
  uses: {
    store: Transactional<'customer' | 'webhookEndpoints' | 'deliveries' | 'audit'>;
    clock: Clock;
    secrets: Secrets;
    /** The sender of the program that listens: it decides which addresses are permitted. */
    webhooks: WebhookSender;
  },
  caller: AccountCaller,
  { secret, ...input }: EndpointInput & { readonly url: string; readonly secret?: string | undefined },
): Promise<EndpointWithSecret> {
  if (secret !== undefined && !isWebhookSecret(secret)) {
    const message = 'secret must be whsec_ and 24 to 64 bytes in base64.';
    throw invalid({ field: 'secret', code: 'invalid_format', message });
  }
  await removeAbandoned(uses, caller.customerId);
  return createWebhookEndpoint(uses, caller, input, { secret, listenFor: LISTENING_MS });
}

/** Postpones the removal. Errors: `not_found` (the endpoint was deleted). */
export function keepListening(
  { store, clock }: { store: Transactional<'webhookEndpoints'>; clock: Clock },
  customerId: Id,
  id: Id,
): Promise<void> {
  return store.transaction(customerId, async ({ webhookEndpoints }) => {
    const endpoint = requireFound(await webhookEndpoints.lock(id), 'webhook_endpoint');
    await webhookEndpoints.update({ ...endpoint, listeningUntil: after(clock.now(), LISTENING_MS) });
  });
}

type RemoveUses = { store: Transactional<'webhookEndpoints' | 'deliveries' | 'audit'>; clock: Clock };

/** Removes the endpoints of programs that were killed, of all customers. */
export function removeAbandonedListeners(
  uses: RemoveUses & { customers: CustomerDirectory },
  stopping?: AbortSignal,
): Promise<void> {
  return forEachCustomer(
    (window) => uses.customers.owning('webhook_endpoints', window),
    (customerId) => removeAbandoned(uses, customerId),
    stopping,
  );
}

async function removeAbandoned(uses: RemoveUses, customerId: Id): Promise<void> {
  const endpoints = await uses.store.query(customerId, (reader) => reader.webhookEndpoints.list());
  const now = uses.clock.now();
  for (const { id } of endpoints.filter((endpoint) => isAbandoned(endpoint, now))) {
    await deleteWebhookEndpoint(uses, { customerId, actor: service }, id);
  }
}
