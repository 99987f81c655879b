import { service } from '../audit/actor.js';
import { isOutage } from '../shared/errors.js';
import { isSuccess, isTest, type LeasedDelivery, outcomeOf } from './delivery.js';
import { type DeliverUses, type RenderEvent, sendEvent } from './send-event.js';
import { auditSubject, recordFailure, recordSuccess, type WebhookEndpoint } from './webhook-endpoint.js';
import type { Attempt } from './webhook-sender.js';

/**
 * Makes one attempt at a leased delivery, and records the result. It is recorded after the request: a process that dies between the two
 * leaves a delivery that is due again, under the same event id. Nothing is recorded when the lease was lost meanwhile, or in an outage. An
 * error on our side counts as an attempt, but not as a failure of the endpoint: it is recorded, and thrown.
 */
export async function deliverEvent<Uses extends DeliverUses>(
  uses: Uses,
  delivery: LeasedDelivery,
  render: RenderEvent<Uses>,
): Promise<void> {
  const { customerId, endpointId } = delivery;
  const endpoint = await uses.store.query(customerId, (reader) => reader.webhookEndpoints.get(endpointId));
  // Removed or disabled since it was claimed: it is not claimed again before it is enabled.
  if (endpoint?.status !== 'enabled') return;
  try {
    const attempt = await sendEvent(uses, delivery, endpoint, render);
    const { answer } = attempt;
    await note(uses, delivery, attempt, (before, at) => {
      if (isSuccess(answer)) return recordSuccess(before);
      // A test is tried once, at any time: only 410 Gone affects the endpoint.
      return isTest(delivery) && answer.status !== 410 ? before : recordFailure(before, answer.status, at);
    });
  } catch (error) {
    if (!isOutage(error)) await note(uses, delivery, ourFault, (before) => before);
    throw error;
  }
}

const ourFault: Attempt = {
  body: null,
  answer: { status: null, reason: 'The service failed to send it.', body: null },
};

function note(
  { store, clock }: DeliverUses,
  delivery: LeasedDelivery,
  attempt: Attempt,
  rule: (endpoint: WebhookEndpoint, at: Date) => WebhookEndpoint,
): Promise<void> {
  return store.transaction(delivery.customerId, async ({ webhookEndpoints, deliveries, audit }) => {
    const before = await webhookEndpoints.lock(delivery.endpointId);
    const at = clock.now();
    const noted = await deliveries.settle(delivery, outcomeOf(delivery, attempt, at, Math.random()));
    if (before === null || !noted) return;
    const after = rule(before, at);
    if (after !== before) await webhookEndpoints.update(after);
    if (after.status === before.status) return;
    await audit.add(service, { action: 'webhook.disabled', subject: auditSubject(after), at });
  });
}
