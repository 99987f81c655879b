import type { Delivery, DeliveryBodies } from '../../../core/webhooks/delivery.js';
import {
  generatedKey,
  instant,
  key,
  optionalBigWhole,
  optionalInstant,
  optionalText,
  optionalWhole,
  tableOf,
  text,
  whole,
} from '../database/columns.js';

/** By the database's clock, in microseconds. */
const moment = { type: 'timestamptz' } as const;

/** A delivery; only its holder is given the lease. */
export const deliveryTable = tableOf<Delivery & DeliveryBodies>('webhookDelivery', 'webhook_deliveries', {
  customerId: key,
  id: generatedKey,
  endpointId: { type: 'bigint' },
  eventId: text,
  type: text,
  subjectId: optionalBigWhole,
  at: instant,
  status: text,
  attempt: whole,
  dueAt: { ...moment, nullable: true },
  responseStatus: optionalWhole,
  reason: optionalText,
  attemptedAt: optionalInstant,
  createdAt: moment,
  endedAt: optionalInstant,
  // Only shown with one delivery.
  requestBody: { ...optionalText, select: false },
  responseBody: { ...optionalText, select: false },
});
