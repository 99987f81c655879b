import { service } from '../audit/actor.js';
import type { Event } from '../events/event.js';
import type { Clock } from '../shared/clock.js';
import { isOutage } from '../shared/errors.js';
import { unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';
import { isSuccess, isTest, type LeasedDelivery, outcomeOf } from './delivery.js';
import { signedHeaders } from './signature.js';
import {
  auditSubject,
  recordFailure,
  recordSuccess,
  signingSecrets,
  type WebhookEndpoint,
} from './webhook-endpoint.js';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.js';

/** The body that receivers get, with the current state of what the event is about; its format is not defined in core. */
export type RenderEvent<Uses> = (uses: Uses, event: Event) => Promise<string>;

type DeliverUses = {
  store: Transactional<'webhookEndpoints' | 'deliveries' | 'audit'>;
  clock: Clock;
  secrets: Secrets;
  webhooks: WebhookSender;
};

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
    const answer = await send(uses, delivery, endpoint, render);
    await note(uses, delivery, answer, (before, at) => {
      if (isSuccess(answer)) return recordSuccess(before);
      // A test is tried once, at any time: only 410 Gone affects the endpoint.
      return isTest(delivery) && answer.status !== 410 ? before : recordFailure(before, answer.status, at);
    });
  } catch (error) {
    if (!isOutage(error)) await note(uses, delivery, ourFault, (before) => before);
    throw error;
  }
}

const ourFault: WebhookAnswer = { status: null, reason: 'The service failed to send it.' };

function note(
  { store, clock }: DeliverUses,
  delivery: LeasedDelivery,
  answer: WebhookAnswer,
  rule: (endpoint: WebhookEndpoint, at: Date) => WebhookEndpoint,
): Promise<void> {
  return store.transaction(delivery.customerId, async ({ webhookEndpoints, deliveries, audit }) => {
    const before = await webhookEndpoints.lock(delivery.endpointId);
    const at = clock.now();
    const noted = await deliveries.settle(delivery, outcomeOf(delivery, answer, at, Math.random()));
    if (before === null || !noted) return;
    const after = rule(before, at);
    if (after !== before) await webhookEndpoints.update(after);
    if (after.status === before.status) return;
    await audit.add(service, { action: 'webhook.disabled', subject: auditSubject(after), at });
  });
}

const unreadable: WebhookAnswer = {
  status: null,
  reason:
    'The secret cannot be decrypted: SECRET_KEY has changed and no longer contains the previous value. Rotate the secret.',
};

async function send<Uses extends DeliverUses>(
  uses: Uses,
  delivery: LeasedDelivery,
  endpoint: WebhookEndpoint,
  render: RenderEvent<Uses>,
): Promise<WebhookAnswer> {
  const body = await render(uses, delivery);
  const at = uses.clock.now();
  const secrets = signingSecrets(endpoint, at).flatMap((sealed) => unseal(uses.secrets, 'webhook', sealed) ?? []);
  if (secrets.length === 0) return unreadable;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...signedHeaders({ eventId: delivery.eventId, body, at }, secrets),
  };
  return uses.webhooks.post({ url: endpoint.url, headers, body });
}
