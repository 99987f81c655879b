import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transactional, unconditional } from '../shared/transactional.js';
import { auditSubject, disable, type WebhookEndpoint } from './webhook-endpoint.js';

/** Maximum number of deliveries that one transaction removes. */
const BATCH = 1000;

/**
 * Removes an endpoint with its deliveries, including waiting ones. It is disabled first, then emptied, so that nobody waits long for it;
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
    await audit.add(actor, { action: 'webhook.deleted', subject: auditSubject(endpoint), at: clock.now() });
  });
}
