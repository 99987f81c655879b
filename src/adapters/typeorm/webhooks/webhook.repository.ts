import { newEventId } from '../../../core/events/event.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type {
  Delivery,
  DeliveryBodies,
  DeliveryChange,
  DeliveryFilters,
  DeliveryLog,
} from '../../../core/webhooks/delivery.js';
import type { NewWebhookEndpoint, WebhookEndpoint } from '../../../core/webhooks/webhook-endpoint.js';
import type { DeliveryRepository, WebhookEndpointRepository } from '../../../core/webhooks/webhook-repository.js';
import { TypeormRepository, TypeormRowRepository, TypeormStore } from '../database/repository.js';
import { column, selectList, tableOf, update } from '../database/sql.js';
import { deliveryTable } from '../events/outbox.repository.js';

export const webhookEndpointTable = tableOf<WebhookEndpoint>('webhookEndpoint', 'webhook_endpoints', {
  customerId: column.key,
  id: column.generatedKey,
  url: column.text,
  description: column.optionalText,
  events: { type: 'text', array: true },
  status: column.text,
  disabledAt: column.optionalInstant,
  disabledReason: column.optionalText,
  secret: column.text,
  previousSecret: column.optionalText,
  previousSecretUntil: column.optionalInstant,
  failingSince: column.optionalInstant,
  listeningUntil: column.optionalInstant,
  createdAt: column.instant,
  updatedAt: column.instant,
});

export class TypeormWebhookEndpointRepository
  extends TypeormRowRepository<WebhookEndpoint, NewWebhookEndpoint>
  implements WebhookEndpointRepository
{
  protected readonly table = webhookEndpointTable;
  protected readonly order = { id: 'ASC' } as const;
}

/** The attempt and due time of a delivery that waits or runs are those of its job. By hand: joined. */
const DELIVERIES = `
  SELECT ${selectList(deliveryTable, 'd')}, coalesce(j.attempt, d.attempt) AS attempt, j.due_at AS "dueAt"
  FROM webhook_deliveries d LEFT JOIN job_queue j ON j.customer_id = d.customer_id AND j.delivery_id = d.id
  WHERE d.customer_id = $1`;

export class TypeormDeliveryRepository extends TypeormRepository implements DeliveryRepository {
  get(id: Id): Promise<Delivery | null> {
    return this.selectFirst<Delivery>(`${DELIVERIES} AND d.id = $2`, id);
  }

  lock(id: Id): Promise<Delivery | null> {
    return this.selectFirst<Delivery>(`${DELIVERIES} AND d.id = $2 FOR NO KEY UPDATE OF d`, id);
  }

  async bodies(id: Id): Promise<DeliveryBodies | null> {
    // With a key: TypeORM takes a row of nulls for none.
    const select = { id: true, requestBody: true, responseBody: true } as const;
    const found = await this.manager.findOne(deliveryTable, { select, where: { customerId: this.customerId, id } });
    return found && { requestBody: found.requestBody, responseBody: found.responseBody };
  }

  list(endpointId: Id, before: Id | null, limit: number, filters: DeliveryFilters = {}): Promise<readonly Delivery[]> {
    const sql = `${DELIVERIES} AND d.endpoint_id = $2 AND ($3::bigint IS NULL OR d.id < $3) AND ($5::text IS NULL OR d.status = $5)
      AND ($6::text IS NULL OR d.type = $6) ORDER BY d.id DESC LIMIT $4`;
    const { status = null, type = null } = filters;
    return this.select<Delivery>(sql, endpointId, before, limit, status, type);
  }

  async addTest(endpointId: Id, at: Date): Promise<Id> {
    const row = { endpointId, eventId: newEventId(at), type: 'webhook.test', at } as const;
    return requireFound(await this.insertRow(deliveryTable, row), 'webhook_delivery').id;
  }

  update(id: Id, change: DeliveryChange): Promise<void> {
    return update(this.manager, deliveryTable, { ...change, customerId: this.customerId, id });
  }

  deleteSome(endpointId: Id, limit: number): Promise<number> {
    return this.change(
      `DELETE FROM webhook_deliveries WHERE customer_id = $1 AND id IN (
         SELECT id FROM webhook_deliveries WHERE customer_id = $1 AND endpoint_id = $2 ORDER BY id LIMIT $3
       )`,
      endpointId,
      limit,
    );
  }
}

export class TypeormDeliveryLog extends TypeormStore implements DeliveryLog {
  sweep(before: Date, limit: number): Promise<number> {
    return this.change(
      // Materialized: evaluated again for each row, a locking query with a limit would return other rows each time.
      `WITH old AS MATERIALIZED (
         SELECT customer_id, id FROM webhook_deliveries WHERE created_at < $1 ORDER BY created_at LIMIT $2
         FOR UPDATE SKIP LOCKED
       )
       DELETE FROM webhook_deliveries d USING old WHERE d.customer_id = old.customer_id AND d.id = old.id`,
      before,
      limit,
    );
  }

  sweepBodies(before: Date, limit: number): Promise<number> {
    return this.change(
      `WITH old AS MATERIALIZED (
         SELECT customer_id, id FROM webhook_deliveries WHERE created_at < $1 AND request_body IS NOT NULL
         ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
       )
       UPDATE webhook_deliveries d SET request_body = NULL, response_body = NULL
       FROM old WHERE d.customer_id = old.customer_id AND d.id = old.id`,
      before,
      limit,
    );
  }
}
