import type { AccountCaller } from '../customers/account-caller.js';
import { after, type Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import { seal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';
import { newWebhookSecret } from './signature.js';
import { auditSubject, MAX_ENDPOINTS, newEndpoint, type WebhookEndpoint } from './webhook-endpoint.js';
import type { WebhookSender } from './webhook-sender.js';
import { type EndpointInput, endpointValues } from './webhook-values.js';

export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  /** The secret is only available here. */
  readonly secret: string;
}

/** What only an endpoint for a listening program needs. */
interface EndpointPurpose {
  readonly secret?: string | undefined;
  /** Milliseconds until it is abandoned; null: it is on the network. */
  readonly listenFor?: number | null;
}

/** Creates an endpoint, enabled. Errors: `invalid_request`, `limit_reached`, `not_found` (customer). */
export async function createWebhookEndpoint(
  uses: {
    store: Transactional<'customer' | 'webhookEndpoints' | 'audit'>;
    clock: Clock;
    secrets: Secrets;
    webhooks: WebhookSender;
  },
  { customerId, actor }: AccountCaller,
  input: EndpointInput & { readonly url: string },
  { secret = newWebhookSecret(), listenFor = null }: EndpointPurpose = {},
): Promise<EndpointWithSecret> {
  const { url = input.url, description = null, events = [] } = await endpointValues(uses, customerId, input);
  return uses.store.transaction(customerId, async ({ customer, webhookEndpoints, audit }) => {
    // Endpoints are created one at a time, so that their number stays within its limit.
    await customer.lock();
    if ((await webhookEndpoints.list()).length >= MAX_ENDPOINTS) throw tooMany();
    const at = uses.clock.now();
    const listeningUntil = listenFor === null ? null : after(at, listenFor);
    const sealed = seal(uses.secrets, 'webhook', secret);
    const given = { customerId, url, description, events, secret: sealed, listeningUntil };
    const made = await webhookEndpoints.insert(newEndpoint(given, at));
    await audit.add(actor, { action: 'webhook.created', subject: auditSubject(made), at });
    return { endpoint: made, secret };
  });
}

function tooMany(): DomainError {
  const message = `A customer can have at most ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`;
  return new DomainError('limit_reached', message, { limit: MAX_ENDPOINTS, name: 'webhookEndpoints' });
}
