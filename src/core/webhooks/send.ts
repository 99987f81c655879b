import { type RateWindowStore, requireBudget } from '../access/rolling-window.js';
import { service } from '../audit/audit-entry.js';
import type { Event } from '../events/event.js';
import { type DeliveryWork, type Job, randomFraction } from '../jobs/job.js';
import { after, type Clock, DAY, SECOND } from '../shared/clock.js';
import { invalid, isOutage, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Secrets, unseal } from '../shared/secrets.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { BODY_DAYS, type Delivery, type DeliveryLog, isSuccess, isTest, LOG_DAYS, outcomeOf } from './delivery.js';
import { readWebhookEndpoint } from './endpoints.js';
import {
  endpointAuditSubject,
  recordFailure,
  recordSuccess,
  signedHeaders,
  signingSecrets,
  type WebhookEndpoint,
} from './webhook-endpoint.js';
import type { Attempt, WebhookSender } from './webhook-sender.js';

/**
 * Makes one attempt at a delivery, and records the result. It is recorded after the request: a process that dies between the two
 * leaves a delivery that is due again, under the same event id. Nothing is recorded when the lease was lost meanwhile, or in an outage. An
 * error on our side counts as an attempt, but not as a failure of the endpoint: it is recorded, and thrown. `signedHeaders` (webhook-endpoint.ts)
 * signs it; after the last attempt `outcomeOf` (delivery.ts) makes it `dead`: it stays in the log, and can be sent again.
 */
export async function deliverEvent<Uses extends DeliverUses>(
  uses: Uses,
  job: Job<'deliveries'>,
  render: RenderEvent<Uses>,
): Promise<void> {
  const { endpointId, deliveryId } = job.work;
  const { endpoint, delivery } = await uses.store.query(job.customerId, async (reader) => ({
    endpoint: await reader.webhookEndpoints.get(endpointId),
    delivery: await reader.deliveries.get(deliveryId),
  }));
  // Removed or disabled since it was claimed: it is not claimed again before it is enabled.
  if (endpoint?.status !== 'enabled' || delivery === null) return;
  try {
    const attempt = await sendEvent(uses, delivery, endpoint, render);
    const { answer } = attempt;
    await note(uses, job, attempt, (before, at) => {
      if (isSuccess(answer)) return recordSuccess(before);
      // 410 Gone disables the endpoint; what is pending is sent if it is enabled again. A test affects it in no other way.
      return isTest(delivery) && answer.status !== 410 ? before : recordFailure(before, answer.status, at);
    });
  } catch (error) {
    const answer = { status: null, reason: 'The service failed to send it.', body: null };
    if (!isOutage(error)) await note(uses, job, { body: null, answer }, (before) => before);
    throw error;
  }
}

function note(
  { store, clock }: DeliverUses,
  job: Job<'deliveries'>,
  attempt: Attempt,
  rule: (endpoint: WebhookEndpoint, at: Date) => WebhookEndpoint,
): Promise<void> {
  const { endpointId, deliveryId } = job.work;
  return store.transaction(job.customerId, async ({ webhookEndpoints, deliveries, jobs, audit }) => {
    const before = await webhookEndpoints.lock(endpointId);
    const delivery = await deliveries.lock(deliveryId);
    if (before === null || delivery === null) return;
    const at = clock.now();
    const { change, retryAfterMs } = outcomeOf({ ...delivery, attempt: job.attempt }, attempt, at, randomFraction());
    const isHeld =
      retryAfterMs === null
        ? await jobs.complete(job)
        : await jobs.release(job, change.reason ?? 'not delivered', retryAfterMs / SECOND);
    if (!isHeld) return;
    await deliveries.update(deliveryId, change);
    const after = rule(before, at);
    if (after !== before) await webhookEndpoints.update(after);
    if (after.status === before.status) return;
    // No mail and no event: the audit log, the settings area and the operator API show it.
    await audit.add(service, { action: 'webhook.disabled', subject: endpointAuditSubject(after), at });
  });
}

/** The body that receivers get, with the current state of what the event is about; its format is not defined in core. */
type RenderEvent<Uses> = (uses: Uses, event: Event) => Promise<string>;

type DeliverUses = {
  store: Transactional<'webhookEndpoints' | 'deliveries' | 'jobs' | 'audit'>;
  clock: Clock;
  secrets: Secrets;
  webhooks: WebhookSender;
};

async function sendEvent<Uses extends DeliverUses>(
  uses: Uses,
  delivery: Delivery,
  endpoint: WebhookEndpoint,
  render: RenderEvent<Uses>,
): Promise<Attempt> {
  const body = await render(uses, delivery);
  const at = uses.clock.now();
  const secrets = signingSecrets(endpoint, at).flatMap((sealed) => unseal(uses.secrets, 'webhook', sealed) ?? []);
  if (secrets.length === 0) {
    const reason =
      'The secret cannot be decrypted: SECRET_KEY has changed and no longer contains the previous value. Rotate the secret.';
    return { body: null, answer: { status: null, reason, body: null } };
  }
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...signedHeaders({ eventId: delivery.eventId, body, at }, secrets),
  };
  return {
    body,
    answer: await uses.webhooks.post({ customerId: delivery.customerId, url: endpoint.url, headers, body }),
  };
}

/**
 * Sends a delivery of the log again, immediately, under the same event id, whatever its state. It gets all its attempts again. Errors:
 * `not_found`, `invalid_request` (its endpoint is disabled).
 */
export function resendDelivery(
  { store }: { store: Transactional<'webhookEndpoints' | 'deliveries' | 'jobs'> },
  customerId: Id,
  id: Id,
): Promise<Delivery> {
  return store.transaction(customerId, async (transaction) => {
    const { endpointId } = requireFound(await transaction.deliveries.get(id), 'webhook_delivery');
    await requireEnabled(transaction, endpointId);
    requireFound(await transaction.deliveries.lock(id), 'webhook_delivery');
    await transaction.deliveries.update(id, { status: 'pending', attempt: 0, endedAt: null });
    await transaction.jobs.restart(workOf(endpointId, id));
    return requireFound(await transaction.deliveries.get(id), 'webhook_delivery');
  });
}

function workOf(endpointId: Id, deliveryId: Id): DeliveryWork {
  return { kind: 'deliver', endpointId, deliveryId };
}

/** Tests of one endpoint per minute. */
const TESTS_OF_ENDPOINT = 5;

/** Sends `webhook.test` to one endpoint, once, whatever it subscribes to. Errors: `not_found`, `invalid_request` (it is disabled). */
export async function sendTestEvent(
  uses: {
    store: Transactional<'webhookEndpoints' | 'deliveries' | 'jobs'>;
    clock: Clock;
    rateWindows: RateWindowStore;
  },
  customerId: Id,
  endpointId: Id,
): Promise<Delivery> {
  // Only for an endpoint of this customer: no customer uses up another's budget.
  await readWebhookEndpoint(uses, customerId, endpointId);
  const budget = { name: `webhook-tests:${endpointId}`, limit: TESTS_OF_ENDPOINT };
  const tooMany = `A webhook endpoint can be tested at most ${TESTS_OF_ENDPOINT} times per minute.`;
  await requireBudget(uses, budget, tooMany);
  return uses.store.transaction(customerId, async (transaction) => {
    await requireEnabled(transaction, endpointId);
    const id = await transaction.deliveries.addTest(endpointId, uses.clock.now());
    await transaction.jobs.add(workOf(endpointId, id));
    return requireFound(await transaction.deliveries.get(id), 'webhook_delivery');
  });
}

async function requireEnabled({ webhookEndpoints }: Transaction<'webhookEndpoints'>, id: Id): Promise<void> {
  const { status } = requireFound(await webhookEndpoints.lock(id), 'webhook_endpoint');
  if (status === 'enabled') return;
  const message = 'This webhook endpoint is disabled. Enable it first.';
  throw invalid({ field: 'endpoint', code: 'conflict', message });
}

const BATCH = 1000;

/** Deletes deliveries older than the log, and bodies before that. Any that are still waiting are for a disabled endpoint. */
export async function sweepDeliveries({
  deliveryLog,
  clock,
}: {
  deliveryLog: DeliveryLog;
  clock: Clock;
}): Promise<void> {
  const now = clock.now();
  while ((await deliveryLog.sweep(after(now, -LOG_DAYS * DAY), BATCH)) === BATCH);
  while ((await deliveryLog.sweepBodies(after(now, -BODY_DAYS * DAY), BATCH)) === BATCH);
}
