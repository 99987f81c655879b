import { type EntityManager, LessThan } from 'typeorm';
import { newEventId } from '../../../core/events/event.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type {
  AttemptOutcome,
  Delivery,
  DeliveryBodies,
  DeliveryFilters,
  LeasedDelivery,
} from '../../../core/webhooks/delivery.js';
import type { NewWebhookEndpoint, WebhookEndpoint } from '../../../core/webhooks/webhook-endpoint.js';
import type { DeliveryRepository, WebhookEndpointRepository } from '../../../core/webhooks/webhook-repository.js';
import {
  change,
  generatedKey,
  inSeconds,
  insert,
  instant,
  key,
  optionalInstant,
  optionalText,
  tableOf,
  text,
  update,
} from '../database/sql.js';
import { announceDeliveries, deliveryTable } from '../events/outbox.repository.js';

export const webhookEndpointTable = tableOf<WebhookEndpoint>('webhookEndpoint', 'webhook_endpoints', {
  customerId: key,
  id: generatedKey,
  url: text,
  description: optionalText,
  events: { type: 'text', array: true },
  status: text,
  disabledAt: optionalInstant,
  disabledReason: optionalText,
  secret: text,
  previousSecret: optionalText,
  previousSecretUntil: optionalInstant,
  failingSince: optionalInstant,
  listeningUntil: optionalInstant,
  createdAt: instant,
  updatedAt: instant,
});

export class TypeormWebhookEndpointRepository implements WebhookEndpointRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  get(id: Id): Promise<WebhookEndpoint | null> {
    return this.manager.findOneBy(webhookEndpointTable, { customerId: this.customerId, id });
  }

  list(): Promise<readonly WebhookEndpoint[]> {
    return this.manager.find(webhookEndpointTable, { where: { customerId: this.customerId }, order: { id: 'ASC' } });
  }

  lock(id: Id): Promise<WebhookEndpoint | null> {
    const where = { customerId: this.customerId, id };
    return this.manager.findOne(webhookEndpointTable, { where, lock: { mode: 'for_no_key_update' } });
  }

  async insert(endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint> {
    const [stored] = await insert(this.manager, webhookEndpointTable, [{ ...endpoint, customerId: this.customerId }]);
    return requireFound(stored, 'webhook_endpoint');
  }

  async update(endpoint: WebhookEndpoint): Promise<void> {
    await update(this.manager, webhookEndpointTable, { ...endpoint, customerId: this.customerId });
  }

  async delete(id: Id): Promise<void> {
    await this.manager.delete(webhookEndpointTable, { customerId: this.customerId, id });
  }
}

export class TypeormDeliveryRepository implements DeliveryRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  get(id: Id): Promise<Delivery | null> {
    return this.manager.findOneBy(deliveryTable, { customerId: this.customerId, id });
  }

  async bodies(id: Id): Promise<DeliveryBodies | null> {
    // With a key: TypeORM takes a row of nulls for none.
    const select = { id: true, requestBody: true, responseBody: true } as const;
    const found = await this.manager.findOne(deliveryTable, { select, where: { customerId: this.customerId, id } });
    return found && { requestBody: found.requestBody, responseBody: found.responseBody };
  }

  list(endpointId: Id, before: Id | null, limit: number, filters: DeliveryFilters = {}): Promise<readonly Delivery[]> {
    const where = {
      ...filters,
      customerId: this.customerId,
      endpointId,
      ...(before !== null && { id: LessThan(before) }),
    };
    return this.manager.find(deliveryTable, { where, order: { id: 'DESC' }, take: limit });
  }

  async addTest(endpointId: Id, at: Date): Promise<Delivery> {
    const row = { customerId: this.customerId, endpointId, eventId: newEventId(at), type: 'webhook.test', at } as const;
    const [stored] = await insert(this.manager, deliveryTable, [row]);
    await announceDeliveries(this.manager);
    return requireFound(stored, 'webhook_delivery');
  }

  /** By the database's clock, which all processes compare, so by hand. */
  async settle({ id, lease }: LeasedDelivery, outcome: AttemptOutcome): Promise<boolean> {
    const { status, responseStatus, reason, retryAfter, at, requestBody, responseBody } = outcome;
    const { count } = await change(
      this.manager,
      `UPDATE webhook_deliveries SET lease = NULL, status = $4, response_status = $5, reason = $6, attempted_at = $7,
         due_at = ${inSeconds('$8::double precision / 1000')},
         ended_at = CASE WHEN $8::double precision IS NULL THEN $7::timestamptz END,
         request_body = $9, response_body = $10
       WHERE customer_id = $1 AND id = $2 AND lease = $3`,
      [this.customerId, id, lease, status, responseStatus, reason, at, retryAfter, requestBody, responseBody],
    );
    return count > 0;
  }

  /** By the database's clock, too. */
  async renew(id: Id): Promise<boolean> {
    const { count } = await change(
      this.manager,
      `UPDATE webhook_deliveries
       SET status = 'pending', attempt = 0, due_at = clock_timestamp(), lease = NULL, ended_at = NULL
       WHERE customer_id = $1 AND id = $2`,
      [this.customerId, id],
    );
    if (count > 0) await announceDeliveries(this.manager);
    return count > 0;
  }

  async deleteSome(endpointId: Id, limit: number): Promise<number> {
    const { count } = await change(
      this.manager,
      `DELETE FROM webhook_deliveries WHERE customer_id = $1 AND id IN (
         SELECT id FROM webhook_deliveries WHERE customer_id = $1 AND endpoint_id = $2 ORDER BY id LIMIT $3
       )`,
      [this.customerId, endpointId, limit],
    );
    return count;
  }
}
