import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transactional, unconditional } from '../shared/transactional.js';
import { changeWebhookEndpoint } from './change-webhook-endpoint.js';
import { disable, enable, type WebhookEndpoint } from './webhook-endpoint.js';
import type { WebhookSender } from './webhook-sender.js';
import { type EndpointInput, endpointValues } from './webhook-values.js';

export interface EndpointPatch extends EndpointInput {
  /** Enabling a disabled endpoint sends its waiting deliveries. */
  readonly enabled?: boolean | undefined;
}

/** Changes the given fields; the others stay. Errors: `invalid_request`, `not_found`, and those of `check`. */
export async function editWebhookEndpoint(
  uses: { store: Transactional<'webhookEndpoints' | 'audit'>; clock: Clock; webhooks: WebhookSender },
  caller: AccountCaller,
  id: Id,
  patch: EndpointPatch,
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
