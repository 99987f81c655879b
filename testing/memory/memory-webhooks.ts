import { answerText } from '../../src/adapters/webhooks/http-webhook-sender.js';
import { isPublicAddress, urlProblem } from '../../src/core/access/outgoing-url.js';
import { type ChangeType, type EventType, newEventId, type Outbox } from '../../src/core/events/event.js';
import type { DeliveryWork } from '../../src/core/jobs/job.js';
import type { Id } from '../../src/core/shared/ids.js';
import type {
  Delivery,
  DeliveryBodies,
  DeliveryChange,
  DeliveryFilters,
  DeliveryLog,
} from '../../src/core/webhooks/delivery.js';
import type { NewWebhookEndpoint, WebhookEndpoint } from '../../src/core/webhooks/webhook-endpoint.js';
import type { DeliveryRepository, WebhookEndpointRepository } from '../../src/core/webhooks/webhook-repository.js';
import {
  MAX_ANSWER_BYTES,
  type WebhookAnswer,
  type WebhookMessage,
  type WebhookSender,
} from '../../src/core/webhooks/webhook-sender.js';
import type { MemoryDatabase, StoredDelivery } from './memory-database.js';
import { MemoryJobRepository, storedJobKey } from './memory-job-queue.js';
import { MemoryRepository, MemoryRowRepository } from './memory-repository.js';

export class MemoryWebhookEndpointRepository
  extends MemoryRowRepository<WebhookEndpoint, NewWebhookEndpoint>
  implements WebhookEndpointRepository
{
  protected readonly table = this.database.webhookEndpoints;
  protected readonly kind = 'endpoint';

  override async delete(id: Id): Promise<void> {
    if ((await this.get(id)) === null) return;
    for (const { id: deliveryId } of this.database.deliveries.where(({ endpointId }) => endpointId === id)) {
      deleteDelivery(this.database, deliveryId);
    }
    await super.delete(id);
  }
}

export class MemoryDeliveryRepository extends MemoryRepository implements DeliveryRepository {
  async get(id: Id): Promise<Delivery | null> {
    const stored = this.stored(id);
    return stored && shown(this.database, stored);
  }

  lock(id: Id): Promise<Delivery | null> {
    return this.get(id);
  }

  async bodies(id: Id): Promise<DeliveryBodies | null> {
    const stored = this.stored(id);
    return stored && { requestBody: stored.requestBody, responseBody: stored.responseBody };
  }

  async list(
    endpointId: Id,
    before: Id | null,
    limit: number,
    { status, type }: DeliveryFilters = {},
  ): Promise<readonly Delivery[]> {
    const beyond = before ?? Number.POSITIVE_INFINITY;
    return this.of(endpointId)
      .filter((each) => each.id < beyond)
      .filter((each) => (status ?? each.status) === each.status && (type ?? each.type) === each.type)
      .sort((a, b) => b.id - a.id)
      .slice(0, limit)
      .map((one) => shown(this.database, one));
  }

  async addTest(endpointId: Id, at: Date): Promise<Id> {
    const endpoint = this.database.webhookEndpoints.rowOf(this.customerId, endpointId);
    if (endpoint === null) throw new Error('There is no such endpoint.');
    const event = { eventId: newEventId(at), type: 'webhook.test', subjectId: null, at } as const;
    return store(this.database, { ...event, customerId: this.customerId, endpointId }).id;
  }

  async update(id: Id, change: DeliveryChange): Promise<void> {
    const stored = this.stored(id);
    if (stored !== null) this.database.deliveries.set(id, { ...stored, ...change });
  }

  async deleteSome(endpointId: Id, limit: number): Promise<number> {
    const some = this.of(endpointId).slice(0, limit);
    for (const { id } of some) deleteDelivery(this.database, id);
    return some.length;
  }

  private stored(id: Id): StoredDelivery | null {
    return this.database.deliveries.rowOf(this.customerId, id);
  }

  private of(endpointId: Id): StoredDelivery[] {
    return this.database.deliveries.rowsOf(this.customerId, (one) => one.endpointId === endpointId);
  }
}

export class MemoryOutbox extends MemoryRepository implements Outbox {
  async add(type: ChangeType, subjectIds: readonly Id[], at: Date): Promise<void> {
    const wanting = this.wanting(type);
    if (wanting.length === 0) return;
    for (const subjectId of subjectIds) {
      const event = { eventId: newEventId(at), customerId: this.customerId, type, subjectId, at };
      for (const { id: endpointId } of wanting) {
        const { id } = store(this.database, { ...event, endpointId });
        await new MemoryJobRepository(this.database, this.customerId, { now: () => at }).add(workOf(endpointId, id));
      }
    }
  }

  async wants(type: ChangeType): Promise<boolean> {
    return this.wanting(type).length > 0;
  }

  private wanting(type: ChangeType): WebhookEndpoint[] {
    const wants = ({ status, events }: WebhookEndpoint) =>
      status === 'enabled' && (events.length === 0 || events.includes(type));
    return this.database.webhookEndpoints.rowsOf(this.customerId, wants).sort((a, b) => a.id - b.id);
  }
}

type NewDelivery = Pick<Delivery, 'eventId' | 'customerId' | 'subjectId' | 'at' | 'endpointId'> & { type: EventType };

function store(database: MemoryDatabase, delivery: NewDelivery): StoredDelivery {
  const unsent = { status: 'pending', attempt: 0, responseStatus: null, reason: null, attemptedAt: null } as const;
  const times = { createdAt: delivery.at, endedAt: null };
  const row = {
    ...delivery,
    ...unsent,
    ...times,
    id: database.next('delivery'),
    requestBody: null,
    responseBody: null,
  };
  database.deliveries.set(row.id, row);
  return row;
}

export class MemoryDeliveryLog implements DeliveryLog {
  constructor(private readonly database: MemoryDatabase) {}

  sweep(before: Date, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const old = this.database.deliveries.where(({ createdAt }) => createdAt < before).slice(0, limit);
      for (const { id } of old) deleteDelivery(this.database, id);
      return old.length;
    });
  }

  sweepBodies(before: Date, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const isOld = ({ createdAt, requestBody }: StoredDelivery) => createdAt < before && requestBody !== null;
      const old = this.database.deliveries.where(isOld).slice(0, limit);
      for (const one of old) this.database.deliveries.set(one.id, { ...one, requestBody: null, responseBody: null });
      return old.length;
    });
  }
}

function workOf(endpointId: Id, deliveryId: Id): DeliveryWork {
  return { kind: 'deliver', endpointId, deliveryId };
}

/** Returns the delivery as it is shown. While it waits or runs, its job has the due time and the number of the attempt. */
function shown(database: MemoryDatabase, { requestBody: _, responseBody: __, ...delivery }: StoredDelivery): Delivery {
  const job = database.jobs.get(storedJobKey(delivery.customerId, workOf(delivery.endpointId, delivery.id)));
  const { attempt } = job ?? delivery;
  return { ...delivery, attempt, dueAt: job === undefined ? null : new Date(job.dueAt) };
}

/** Deletes a delivery and its job. */
function deleteDelivery(database: MemoryDatabase, id: Id): void {
  const stored = database.deliveries.get(id);
  if (stored === undefined) return;
  database.jobs.delete(storedJobKey(stored.customerId, workOf(stored.endpointId, id)));
  database.deliveries.delete(id);
}

/** Answers for receivers, and keeps what they were sent. */
export class MemoryWebhookSender implements WebhookSender {
  readonly sent: WebhookMessage[] = [];
  /** The body of their answers. */
  answerBody: string | null = null;
  /** The answer of receivers; 200 until a test says otherwise. Called while the request is under way. */
  answer: (message: WebhookMessage) => number | Promise<number> = () => 200;

  /** @param addresses Where names lead; a name that is not here leads to a public address. */
  constructor(
    private readonly allowPrivate = false,
    private readonly addresses: Readonly<Record<string, string>> = {},
  ) {}

  async refusal(url: string): Promise<string | null> {
    const problem = urlProblem(url, this.allowPrivate);
    if (problem !== null || this.allowPrivate) return problem;
    const { hostname } = new URL(url);
    const isLiteral = /^[\d.]+$|^\[/.test(hostname);
    const address = isLiteral ? hostname.replace(/^\[|\]$/g, '') : (this.addresses[hostname] ?? '93.184.216.34');
    return isPublicAddress(address) ? null : 'url must lead to a public address.';
  }

  async post(message: WebhookMessage): Promise<WebhookAnswer> {
    const refusal = await this.refusal(message.url);
    if (refusal !== null) return { status: null, reason: refusal, body: null };
    this.sent.push(message);
    try {
      return {
        status: await this.answer(message),
        reason: null,
        body: answerText(this.answerBody?.slice(0, MAX_ANSWER_BYTES) ?? ''),
      };
    } catch (error) {
      return { status: null, reason: String(error), body: null };
    }
  }
}
