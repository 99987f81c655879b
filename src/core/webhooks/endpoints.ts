import { type AuditAction, changedFields } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/customer.js';
import type { SealedRows } from '../customers/reseal.js';
import { after, type Clock } from '../shared/clock.js';
import { requireBelowLimit, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import { type Secrets, seal } from '../shared/secrets.js';
import { type Precondition, type Readable, type Transactional, unconditional } from '../shared/transactional.js';
import type { Delivery, DeliveryBodies, DeliveryFilters } from './delivery.js';
import {
  disable,
  type EndpointInput,
  enable,
  endpointAuditSubject,
  endpointValues,
  MAX_ENDPOINTS,
  newEndpoint,
  newWebhookSecret,
  rotateSecret,
  type WebhookEndpoint,
} from './webhook-endpoint.js';
import type { WebhookSender } from './webhook-sender.js';

export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  /** The secret is only available here. */
  readonly secret: string;
}

/**
 * Creates an endpoint, enabled. Errors: `invalid_request`, `limit_reached`, `not_found` (customer).
 * @param listener Only for a program that listens. `listenFor`: milliseconds until it is abandoned; null: it is on the network.
 */
export async function createWebhookEndpoint(
  uses: {
    store: Transactional<'customer' | 'webhookEndpoints' | 'audit'>;
    clock: Clock;
    secrets: Secrets;
    webhooks: WebhookSender;
  },
  { customerId, actor }: AccountCaller,
  input: EndpointInput & { readonly url: string },
  listener: { readonly secret?: string | undefined; readonly listenFor?: number } = {},
): Promise<EndpointWithSecret> {
  const { secret = newWebhookSecret(), listenFor = null } = listener;
  const { url = input.url, description = null, events = [] } = await endpointValues(uses, customerId, input);
  return uses.store.transaction(customerId, async ({ customer, webhookEndpoints, audit }) => {
    // Endpoints are created one at a time, so that their number stays within its limit.
    await customer.lock();
    const tooMany = `A customer can have at most ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`;
    requireBelowLimit((await webhookEndpoints.list()).length, MAX_ENDPOINTS, 'webhookEndpoints', tooMany);
    const at = uses.clock.now();
    const listeningUntil = listenFor === null ? null : after(at, listenFor);
    const sealed = seal(uses.secrets, 'webhook', secret);
    const given = { customerId, url, description, events, secret: sealed, listeningUntil };
    const made = await webhookEndpoints.insert(newEndpoint(given, at));
    await audit.add(actor, { action: 'webhook.created', subject: endpointAuditSubject(made), at });
    return { endpoint: made, secret };
  });
}

/** All endpoints of a customer, oldest first. */
export function listWebhookEndpoints(
  { store }: { store: Readable<'webhookEndpoints'> },
  customerId: Id,
): Promise<readonly WebhookEndpoint[]> {
  return store.query(customerId, (reader) => reader.webhookEndpoints.list());
}

export interface EndpointWithLast {
  readonly endpoint: WebhookEndpoint;
  /** The newest delivery in its log; null when that is empty. */
  readonly last: Delivery | null;
}

/** All endpoints of a customer with the latest delivery of each, oldest endpoint first. */
export function listEndpointsWithLast(
  { store }: { store: Readable<'webhookEndpoints' | 'deliveries'> },
  customerId: Id,
): Promise<readonly EndpointWithLast[]> {
  return store.query(customerId, async ({ webhookEndpoints, deliveries }) => {
    const all: EndpointWithLast[] = [];
    for (const endpoint of await webhookEndpoints.list()) {
      all.push({ endpoint, last: (await deliveries.list(endpoint.id, null, 1))[0] ?? null });
    }
    return all;
  });
}

/** Errors: `not_found`. */
export async function readWebhookEndpoint(
  { store }: { store: Readable<'webhookEndpoints'> },
  customerId: Id,
  id: Id,
): Promise<WebhookEndpoint> {
  return requireFound(await store.query(customerId, (reader) => reader.webhookEndpoints.get(id)), 'webhook_endpoint');
}

/** The delivery log of one endpoint, newest first, of the last 30 days. Errors: `not_found`, `invalid_cursor`. */
export function listDeliveries(
  uses: { store: Readable<'webhookEndpoints' | 'deliveries'>; secrets: Secrets; clock: Clock },
  customerId: Id,
  endpointId: Id,
  { filters = {}, ...request }: PageRequest & { readonly filters?: DeliveryFilters },
): Promise<Page<Delivery>> {
  return uses.store.query(customerId, async (reader) => {
    requireFound(await reader.webhookEndpoints.get(endpointId), 'webhook_endpoint');
    const listing = {
      customerId,
      list: `webhooks/${endpointId}/deliveries`,
      sort: '-id',
      filters: { ...filters },
      ...orderById<Delivery>(),
      rows: ({ after, limit }: PageWindow) => reader.deliveries.list(endpointId, after?.id ?? null, limit, filters),
    };
    return readPage(uses, listing, request);
  });
}

/** One delivery of the log, with what was exchanged. Errors: `not_found`. */
export function readDelivery(
  { store }: { store: Readable<'deliveries'> },
  customerId: Id,
  id: Id,
): Promise<Delivery & DeliveryBodies> {
  return store.query(customerId, async ({ deliveries }) => {
    const delivery = requireFound(await deliveries.get(id), 'webhook_delivery');
    return { ...delivery, ...requireFound(await deliveries.bodies(id), 'webhook_delivery') };
  });
}

/**
 * Changes the given fields; the others stay. Enabling a disabled endpoint sends its waiting deliveries. Errors: `invalid_request`, `not_found`,
 * and those of `check`.
 */
export async function editWebhookEndpoint(
  uses: { store: Transactional<'webhookEndpoints' | 'audit'>; clock: Clock; webhooks: WebhookSender },
  caller: AccountCaller,
  id: Id,
  patch: EndpointInput & { readonly enabled?: boolean | undefined },
  check: Precondition<WebhookEndpoint> = unconditional,
): Promise<WebhookEndpoint> {
  const values = await endpointValues(uses, caller.customerId, patch);
  return changeWebhookEndpoint(uses, caller, id, (endpoint, at) => {
    check(endpoint);
    const edited = { ...endpoint, ...values, updatedAt: at };
    if (patch.enabled === undefined) return edited;
    return patch.enabled ? enable(edited, at) : disable(edited, 'by_owner', at);
  });
}

/** Gives it a new secret; the old one also signs for another 24 hours. Errors: `not_found`. */
export async function rotateWebhookSecret(
  uses: { store: Transactional<'webhookEndpoints' | 'audit'>; clock: Clock; secrets: Secrets },
  caller: AccountCaller,
  id: Id,
): Promise<EndpointWithSecret> {
  const secret = newWebhookSecret();
  const sealed = seal(uses.secrets, 'webhook', secret);
  const endpoint = await changeWebhookEndpoint(uses, caller, id, (current, at) => rotateSecret(current, sealed, at));
  return { endpoint, secret };
}

function changeWebhookEndpoint(
  { store, clock }: { store: Transactional<'webhookEndpoints' | 'audit'>; clock: Clock },
  caller: AccountCaller,
  id: Id,
  rule: (endpoint: WebhookEndpoint, at: Date) => WebhookEndpoint,
): Promise<WebhookEndpoint> {
  return store.transaction(caller.customerId, async ({ webhookEndpoints, audit }) => {
    const before = requireFound(await webhookEndpoints.lock(id), 'webhook_endpoint');
    const at = clock.now();
    const next = rule(before, at);
    await webhookEndpoints.update(next);
    const note = (action: AuditAction, changes: readonly string[] = []) =>
      audit.add(caller.actor, { action, changes, subject: endpointAuditSubject(next), at });
    const changes = changedFields(before, next, ['url', 'description', 'events']);
    if (changes.length > 0) await note('webhook.edited', changes);
    if (next.status !== before.status) await note(`webhook.${next.status}`);
    if (next.secret !== before.secret) await note('webhook.secret_rotated');
    return next;
  });
}

/** Maximum number of deliveries that one transaction removes. */
const BATCH = 1000;

/**
 * Removes an endpoint with its deliveries, including waiting ones. It is disabled first, then emptied, so that no request waits long for it;
 * after an interruption, the same request continues. Errors: `not_found`, and those of `check`.
 */
export async function deleteWebhookEndpoint(
  { store, clock }: { store: Transactional<'webhookEndpoints' | 'deliveries' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
  check: Precondition<WebhookEndpoint> = unconditional,
): Promise<void> {
  await store.transaction(customerId, async ({ webhookEndpoints }) => {
    const endpoint = requireFound(await webhookEndpoints.lock(id), 'webhook_endpoint');
    check(endpoint);
    await webhookEndpoints.update(disable(endpoint, 'by_owner', clock.now()));
  });
  const deleteSome = () => store.transaction(customerId, ({ deliveries }) => deliveries.deleteSome(id, BATCH));
  while ((await deleteSome()) === BATCH);
  await store.transaction(customerId, async ({ webhookEndpoints, audit }) => {
    const endpoint = await webhookEndpoints.lock(id);
    // A concurrent request deleted it first.
    if (endpoint === null) return;
    await webhookEndpoints.delete(id);
    await audit.add(actor, { action: 'webhook.deleted', subject: endpointAuditSubject(endpoint), at: clock.now() });
  });
}

export const webhookSecrets: SealedRows<{ store: Transactional<'webhookEndpoints'> }, WebhookEndpoint> = {
  purpose: 'webhook',
  owners: 'webhook_endpoints',
  list: ({ store }, customerId) => store.query(customerId, ({ webhookEndpoints }) => webhookEndpoints.list()),
  values: ({ secret, previousSecret }) => [secret, previousSecret],
  replace: ({ store }, customerId, { id }, renewed) =>
    store.transaction(customerId, async ({ webhookEndpoints }) => {
      const endpoint = await webhookEndpoints.lock(id);
      if (endpoint === null) return;
      const { secret, previousSecret } = endpoint;
      const sealed = { secret: renewed(secret), previousSecret: previousSecret && renewed(previousSecret) };
      await webhookEndpoints.update({ ...endpoint, ...sealed });
    }),
};
