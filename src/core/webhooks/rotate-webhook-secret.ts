import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { seal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';
import { changeWebhookEndpoint } from './change-webhook-endpoint.js';
import type { EndpointWithSecret } from './create-webhook-endpoint.js';
import { newWebhookSecret } from './signature.js';
import { rotateSecret } from './webhook-endpoint.js';

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
