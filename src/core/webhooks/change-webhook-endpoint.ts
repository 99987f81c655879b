import { type Change, changedFields } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { auditSubject, type WebhookEndpoint } from './webhook-endpoint.js';

export function changeWebhookEndpoint(
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
