import { type ChangeType, newEventId, type Outbox } from '../../../core/events/event.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Delivery, DeliveryBodies } from '../../../core/webhooks/delivery.js';
import { TypeormRepository } from '../database/repository.js';
import { asJson, column, insertion, prepared, select, tableOf } from '../database/sql.js';
import { TypeormJobRepository } from '../jobs/job.repository.js';

/** By the database's clock, in microseconds. */
const moment = { type: 'timestamptz' } as const;

/** A delivery. While it waits or runs, its job has the due time and the number of the attempt. */
export const deliveryTable = tableOf<Omit<Delivery, 'dueAt'> & DeliveryBodies>(
  'webhookDelivery',
  'webhook_deliveries',
  {
    customerId: column.key,
    id: column.generatedKey,
    endpointId: { type: 'bigint' },
    eventId: column.text,
    type: column.text,
    subjectId: column.optionalBigWhole,
    at: column.instant,
    status: column.text,
    attempt: { ...column.whole, select: false },
    responseStatus: column.optionalWhole,
    reason: column.optionalText,
    attemptedAt: column.optionalInstant,
    createdAt: moment,
    endedAt: column.optionalInstant,
    // Only shown with one delivery.
    requestBody: { ...column.optionalText, select: false },
    responseBody: { ...column.optionalText, select: false },
  },
);

/** Events of one statement. */
const BATCH = 1000;

const WANTING = `webhook_endpoints e WHERE e.customer_id = $1 AND e.status = 'enabled' AND (e.events = '{}' OR $2 = ANY(e.events))`;

/** Part of most changes, so prepared. Locked, so that none is removed before its deliveries exist: one that is being removed is skipped. */
const lockWanting = prepared(`SELECT e.id FROM ${WANTING} ORDER BY e.id FOR KEY SHARE`);

export class TypeormOutbox extends TypeormRepository implements Outbox {
  async add(type: ChangeType, subjectIds: readonly Id[], at: Date): Promise<void> {
    if (subjectIds.length === 0) return;
    const endpoints = await this.select<{ id: Id }>(lockWanting, type);
    if (endpoints.length === 0) return;
    const jobs = new TypeormJobRepository(this.manager, this.customerId);
    for (let from = 0; from < subjectIds.length; from += BATCH) {
      const rows = subjectIds.slice(from, from + BATCH).flatMap((subjectId) => {
        const event = { customerId: this.customerId, eventId: newEventId(at), type, subjectId, at };
        return endpoints.map(({ id: endpointId }) => ({ ...event, endpointId }));
      });
      const sql = `${insertion(deliveryTable, rows[0] ?? {})} RETURNING stored.id, stored.endpoint_id AS "endpointId"`;
      const stored = await select<{ id: Id; endpointId: Id }>(this.manager, sql, [asJson(rows)]);
      await jobs.add(...stored.map(({ id, endpointId }) => ({ kind: 'deliver', endpointId, deliveryId: id }) as const));
    }
  }

  async wants(type: ChangeType): Promise<boolean> {
    return (await this.select(`SELECT WHERE EXISTS (SELECT FROM ${WANTING})`, type)).length > 0;
  }
}
