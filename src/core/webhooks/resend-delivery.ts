import { requireTestBudget } from '../access/require-budget.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import type { Clock } from '../shared/clock.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import type { Delivery } from './delivery.js';

/**
 * Sends a delivery of the log again, immediately, under the same event id, whatever its state. It gets all its attempts again. Errors:
 * `not_found`, `invalid_request` (its endpoint is disabled).
 */
export function resendDelivery(
  { store }: { store: Transactional<'webhookEndpoints' | 'deliveries'> },
  customerId: Id,
  id: Id,
): Promise<Delivery> {
  return store.transaction(customerId, async (transaction) => {
    const { endpointId } = requireFound(await transaction.deliveries.get(id), 'webhook_delivery');
    await requireEnabled(transaction, endpointId);
    await transaction.deliveries.renew(id);
    return requireFound(await transaction.deliveries.get(id), 'webhook_delivery');
  });
}

type SendUses = { store: Transactional<'webhookEndpoints' | 'deliveries'>; clock: Clock; rateWindows: RateWindowStore };

/** Sends `webhook.test` to one endpoint, once, whatever it subscribes to. Errors: `not_found`, `invalid_request` (it is disabled). */
export async function sendTestEvent(
  { store, clock, rateWindows }: SendUses,
  customerId: Id,
  endpointId: Id,
): Promise<Delivery> {
  // Only for an endpoint of this customer: nobody uses up another's budget.
  requireFound(await store.query(customerId, (reader) => reader.webhookEndpoints.get(endpointId)), 'webhook_endpoint');
  await requireTestBudget({ rateWindows }, endpointId);
  return store.transaction(customerId, async (transaction) => {
    await requireEnabled(transaction, endpointId);
    return transaction.deliveries.addTest(endpointId, clock.now());
  });
}

async function requireEnabled({ webhookEndpoints }: Transaction<'webhookEndpoints'>, id: Id): Promise<void> {
  const { status } = requireFound(await webhookEndpoints.lock(id), 'webhook_endpoint');
  if (status === 'enabled') return;
  const message = 'This webhook endpoint is disabled. Enable it first.';
  throw invalid({ field: 'endpoint', code: 'conflict', message });
}
