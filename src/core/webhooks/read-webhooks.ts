import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import type { Delivery, DeliveryBodies, DeliveryFilters } from './delivery.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

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
