import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { isSealedByNewest, reseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { BODY_DAYS, LOG_DAYS } from './delivery.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

const BATCH = 1000;

/** Deletes deliveries older than the log, and bodies before that. Any that are still waiting are for a disabled endpoint. */
export async function sweepDeliveries({
  deliveries,
  clock,
}: {
  deliveries: DeliveryQueue;
  clock: Clock;
}): Promise<void> {
  const now = clock.now();
  while ((await deliveries.sweep(after(now, -LOG_DAYS * DAY), BATCH)) === BATCH);
  while ((await deliveries.sweepBodies(after(now, -BODY_DAYS * DAY), BATCH)) === BATCH);
}

type SealUses = { store: Transactional<'webhookEndpoints'>; customers: CustomerDirectory; secrets: Secrets };

/** Encrypts again with the newest secret what an older one encrypted, so that the older one can be removed. */
export function resealWebhookSecrets(uses: SealUses, stopping?: AbortSignal): Promise<void> {
  return forEachCustomer(
    (window) => uses.customers.withWebhookEndpoints(window),
    (customerId) => resealSecretsOf(uses, customerId),
    stopping,
  );
}

async function resealSecretsOf({ store, secrets }: SealUses, customerId: Id): Promise<void> {
  const isStale = (sealed: string | null) => sealed !== null && !isSealedByNewest(secrets, 'webhook', sealed);
  const endpoints = await store.query(customerId, (reader) => reader.webhookEndpoints.list());
  for (const { id } of endpoints.filter((one) => isStale(one.secret) || isStale(one.previousSecret))) {
    await store.transaction(customerId, (transaction) => resealEndpoint(transaction, id, secrets));
  }
}

async function resealEndpoint(
  { webhookEndpoints }: Transaction<'webhookEndpoints'>,
  id: Id,
  secrets: Secrets,
): Promise<void> {
  const endpoint = await webhookEndpoints.lock(id);
  if (endpoint === null) return;
  const { secret, previousSecret } = endpoint;
  const next: WebhookEndpoint = {
    ...endpoint,
    secret: reseal(secrets, 'webhook', secret),
    previousSecret: previousSecret && reseal(secrets, 'webhook', previousSecret),
  };
  await webhookEndpoints.update(next);
}
