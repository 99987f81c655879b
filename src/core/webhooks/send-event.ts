import type { Event } from '../events/event.js';
import type { Clock } from '../shared/clock.js';
import { unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';
import type { LeasedDelivery } from './delivery.js';
import { signedHeaders } from './signature.js';
import { signingSecrets, type WebhookEndpoint } from './webhook-endpoint.js';
import type { Attempt, WebhookAnswer, WebhookSender } from './webhook-sender.js';

/** The body that receivers get, with the current state of what the event is about; its format is not defined in core. */
export type RenderEvent<Uses> = (uses: Uses, event: Event) => Promise<string>;

export type DeliverUses = {
  store: Transactional<'webhookEndpoints' | 'deliveries' | 'audit'>;
  clock: Clock;
  secrets: Secrets;
  webhooks: WebhookSender;
};

const unreadable: WebhookAnswer = {
  status: null,
  reason:
    'The secret cannot be decrypted: SECRET_KEY has changed and no longer contains the previous value. Rotate the secret.',
  body: null,
};

export async function sendEvent<Uses extends DeliverUses>(
  uses: Uses,
  delivery: LeasedDelivery,
  endpoint: WebhookEndpoint,
  render: RenderEvent<Uses>,
): Promise<Attempt> {
  const body = await render(uses, delivery);
  const at = uses.clock.now();
  const secrets = signingSecrets(endpoint, at).flatMap((sealed) => unseal(uses.secrets, 'webhook', sealed) ?? []);
  if (secrets.length === 0) return { body: null, answer: unreadable };
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...signedHeaders({ eventId: delivery.eventId, body, at }, secrets),
  };
  return {
    body,
    answer: await uses.webhooks.post({ customerId: delivery.customerId, url: endpoint.url, headers, body }),
  };
}
