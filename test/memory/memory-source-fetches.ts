import { randomUUID } from 'node:crypto';
import {
  type BusySources,
  type FetchQueue,
  isFetched,
  type LeasedFetch,
  type SourceFetch,
  type SourceFetchRepository,
} from '../../src/core/imports/fetch/source-fetch.js';
import { after, type Clock, SECOND } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { copyOf, type MemoryDatabase, type StoredFetch } from './memory-database.js';
import type { LockedRows } from './memory-locked-rows.js';

const LOOK_EVERY_MS = 100;

export class MemorySourceFetchRepository implements SourceFetchRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly held: LockedRows,
    private readonly clock: Clock,
  ) {}

  async get(itemId: Id): Promise<SourceFetch | null> {
    const stored = this.database.sourceFetches.get(itemId);
    if (stored?.customerId !== this.customerId) return null;
    const { dueAt: _, lease: __, ...fetch } = stored;
    return fetch;
  }

  async put(fetches: readonly SourceFetch[]): Promise<void> {
    for (const fetch of fetches) {
      if (!this.held.isLocked('import', fetch.importId)) this.held.requireLocked('item', fetch.itemId);
      if (this.database.importPhotos.get(fetch.itemId)?.customerId !== this.customerId) {
        throw new Error(`There is no item ${fetch.itemId}.`);
      }
      const row = { ...fetch, customerId: this.customerId, dueAt: this.clock.now(), lease: null };
      this.database.sourceFetches.set(fetch.itemId, row);
    }
  }

  async setValidator(leased: LeasedFetch, validator: string | null): Promise<boolean> {
    return this.change(leased, { validator });
  }

  async release(leased: LeasedFetch, failures: number, seconds: number): Promise<boolean> {
    return this.change(leased, { failures, lease: null, dueAt: after(this.clock.now(), seconds * SECOND) });
  }

  async delete(leased: LeasedFetch): Promise<boolean> {
    return this.stored(leased) !== null && this.database.sourceFetches.delete(leased.itemId);
  }

  private change(leased: LeasedFetch, values: Partial<StoredFetch>): boolean {
    const stored = this.stored(leased);
    if (stored !== null) this.database.sourceFetches.set(leased.itemId, { ...stored, ...values });
    return stored !== null;
  }

  private stored({ itemId, lease }: LeasedFetch): StoredFetch | null {
    const stored = this.database.sourceFetches.get(itemId);
    return stored?.customerId === this.customerId && stored.lease === lease ? stored : null;
  }
}

export class MemoryFetchQueue implements FetchQueue {
  /** When each customer was last served, by a counter. */
  private readonly served = new Map<Id, number>();

  constructor(
    private readonly database: MemoryDatabase,
    private readonly clock: Clock,
  ) {}

  claim(leaseSeconds: number, { customerIds, hosts }: BusySources): Promise<LeasedFetch | null> {
    return this.database.transaction(async () => {
      const free = this.due().filter(
        (one) =>
          !customerIds.includes(one.customerId) &&
          !hosts.some(({ customerId, host }) => customerId === one.customerId && host === one.host),
      );
      const turn = ({ customerId }: StoredFetch) => this.served.get(customerId) ?? 0;
      const [next] = free.sort(
        (a, b) => turn(a) - turn(b) || a.dueAt.getTime() - b.dueAt.getTime() || a.itemId - b.itemId,
      );
      if (next === undefined) return null;
      const held = { ...next, lease: randomUUID(), dueAt: after(this.clock.now(), leaseSeconds * SECOND) };
      this.database.sourceFetches.set(held.itemId, held);
      this.served.set(held.customerId, this.database.next('source turn'));
      const { dueAt: _, ...leased } = held;
      return copyOf(leased);
    });
  }

  extend({ itemId, lease }: LeasedFetch, leaseSeconds: number): Promise<boolean> {
    return this.database.transaction(async () => {
      const stored = this.database.sourceFetches.get(itemId);
      const item = this.database.importPhotos.get(itemId) ?? null;
      if (stored === undefined || stored.lease !== lease || !isFetched(item, stored)) return false;
      this.database.sourceFetches.set(itemId, { ...stored, dueAt: after(this.clock.now(), leaseSeconds * SECOND) });
      return true;
    });
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

  private due(): StoredFetch[] {
    const now = this.clock.now().getTime();
    const isActive = (id: Id) => this.database.customers.get(id)?.status === 'active';
    return this.database.sourceFetches.where((one) => one.dueAt.getTime() <= now && isActive(one.customerId));
  }
}
