import { randomUUID } from 'node:crypto';
import { after, type Clock, SECOND } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Busy, DeliveryQueue, LeasedDelivery } from '../../src/core/webhooks/delivery.js';
import { copyOf, type MemoryDatabase, type StoredDelivery } from './memory-database.js';

const LOOK_EVERY_MS = 100;

export class MemoryDeliveryQueue implements DeliveryQueue {
  /** When each endpoint was last served, by a counter. */
  private readonly served = new Map<Id, number>();

  constructor(
    private readonly database: MemoryDatabase,
    private readonly clock: Clock,
  ) {}

  claim(leaseSeconds: number, busy: Busy): Promise<LeasedDelivery | null> {
    return this.database.transaction(async () => {
      const free = this.due().filter(
        ({ endpointId, customerId }) =>
          this.database.webhookEndpoints.get(endpointId)?.listeningUntil === null &&
          !busy.endpointIds.includes(endpointId) &&
          !busy.customerIds.includes(customerId),
      );
      const turn = ({ endpointId }: StoredDelivery) => this.served.get(endpointId) ?? 0;
      const [next] = free.sort((a, b) => turn(a) - turn(b) || dueTime(a) - dueTime(b) || a.id - b.id);
      if (next === undefined) return null;
      this.served.set(next.endpointId, this.database.next('webhook turn'));
      return this.leased(next, leaseSeconds);
    });
  }

  claimOf(
    endpoint: Pick<LeasedDelivery, 'customerId' | 'endpointId'>,
    leaseSeconds: number,
  ): Promise<LeasedDelivery | null> {
    return this.database.transaction(async () => {
      const its = this.due().filter(
        ({ endpointId, customerId }) => endpointId === endpoint.endpointId && customerId === endpoint.customerId,
      );
      const [next] = its.sort((a, b) => dueTime(a) - dueTime(b) || a.id - b.id);
      return next === undefined ? null : this.leased(next, leaseSeconds);
    });
  }

  private leased(next: StoredDelivery, leaseSeconds: number): LeasedDelivery {
    const dueAt = after(this.clock.now(), leaseSeconds * SECOND);
    const held = { ...next, attempt: next.attempt + 1, lease: randomUUID(), dueAt };
    this.database.deliveries.set(held.id, held);
    const { requestBody: _, responseBody: __, ...leased } = held;
    return copyOf(leased);
  }

  async listen(wake: () => void): Promise<() => Promise<void>> {
    const look = () => {
      if (this.due().length > 0) wake();
    };
    const unlisten = this.database.onCommit(look);
    // Nobody tells when a clock has moved on.
    const looking = setInterval(look, LOOK_EVERY_MS).unref();
    return async () => {
      clearInterval(looking);
      unlisten();
    };
  }

  sweep(before: Date, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const old = this.database.deliveries.where(({ createdAt }) => createdAt < before).slice(0, limit);
      for (const { id } of old) this.database.deliveries.delete(id);
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

  private due(): StoredDelivery[] {
    const now = this.clock.now().getTime();
    const isEnabled = (id: Id) => this.database.webhookEndpoints.get(id)?.status === 'enabled';
    return this.database.deliveries.where(
      (one) => one.status === 'pending' && dueTime(one) <= now && isEnabled(one.endpointId),
    );
  }
}

function dueTime({ dueAt }: StoredDelivery): number {
  return dueAt?.getTime() ?? Number.POSITIVE_INFINITY;
}
