import { type Change, changedFields } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { seal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';
import type { EndpointWithSecret } from './create-webhook-endpoint.js';
import { newWebhookSecret } from './signature.js';
import { auditSubject, disable, enable, rotateSecret, type WebhookEndpoint } from './webhook-endpoint.js';
import type { WebhookSender } from './webhook-sender.js';
import { type EndpointInput, endpointValues } from './webhook-values.js';

export interface EndpointPatch extends EndpointInput {
  /** Enabling a disabled endpoint sends its waiting deliveries. */
  readonly enabled?: boolean | undefined;
}

/** Changes the given fields; the others stay. Errors: `invalid_request`, `not_found`. */
export async function editWebhookEndpoint(
  uses: { store: Transactional<'webhookEndpoints' | 'audit'>; clock: Clock; webhooks: WebhookSender },
  caller: AccountCaller,
  id: Id,
  patch: EndpointPatch,
): Promise<WebhookEndpoint> {
  const values = await endpointValues(uses, patch);
  return change(uses, caller, id, (endpoint, at) => {
    const edited = { ...endpoint, ...values, updatedAt: at };
    if (patch.enabled === undefined) return edited;
    return patch.enabled ? enable(edited, at) : disable(edited, 'by_owner', at);
  });
}

/** Gives it a new secret; the old one also signs for another 24 hours. Errors: `not_found`. */
export async function rotateWebhookSecret(
  uses: { store: Transactional<'webhookEndpoints' | 'audit'>; clock: Clock; secrets: Secrets },
  caller: AccountCaller,
  id: Id,
): Promise<EndpointWithSecret> {
  const secret = newWebhookSecret();
  const sealed = seal(uses.secrets, 'webhook', secret);
  const endpoint = await change(uses, caller, id, (current, at) => rotateSecret(current, sealed, at));
  return { endpoint, secret };
}

function change(
  { store, clock }: { store: Transactional<'webhookEndpoints' | 'audit'>; clock: Clock },
  caller: AccountCaller,
  id: Id,
  rule: (endpoint: WebhookEndpoint, at: Date) => WebhookEndpoint,
): Promise<WebhookEndpoint> {
  return store.transaction(caller.customerId, async ({ webhookEndpoints, audit }) => {
    const before = requireFound(await webhookEndpoints.lock(id), 'webhook_endpoint');
    const at = clock.now();
    const next = rule(before, at);
    await webhookEndpoints.update(next);
    for (const made of changesOf(before, next))
      await audit.add(caller.actor, { ...made, subject: auditSubject(next), at });
    return next;
  });
}

/** The audit log entry of an edit. */
function changesOf(before: WebhookEndpoint, next: WebhookEndpoint): readonly Pick<Change, 'action' | 'changes'>[] {
  const changes = changedFields(before, next, ['url', 'description', 'events']);
  const made: Pick<Change, 'action' | 'changes'>[] =
    changes.length === 0 ? [] : [{ action: 'webhook.edited', changes }];
  if (next.status !== before.status) made.push({ action: `webhook.${next.status}` });
  if (next.secret !== before.secret) made.push({ action: 'webhook.secret_rotated' });
  return made;
}
