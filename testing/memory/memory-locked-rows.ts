import type { Id } from '../../src/core/shared/ids.js';

/** The order in which transactions lock rows: see customer-store.ts of the database. */
const kinds = [
  'bulk edit',
  'customer',
  'import',
  'item',
  'photo',
  'endpoint',
  'key',
  'delivery key',
  'share',
  'user',
] as const;

export type LockedKind = (typeof kinds)[number];

/**
 * The rows that one transaction holds. Transactions run one after another here, so they cannot meet in a row; this is for finding
 * work that forgets to lock what it changes, or locks it in another order than others do, which would go wrong on a database only, and only
 * now and then.
 */
export class LockedRows {
  private readonly locked = new Set<string>();
  private readonly largest = new Map<LockedKind, Id>();

  /** @param isOrdered Whether a lock out of order is an error. */
  constructor(private readonly isOrdered: boolean) {}

  lock(kind: LockedKind, ids: readonly Id[]): void {
    for (const id of ids) {
      if (this.isOrdered && !this.isLocked(kind, id)) this.requireOrder(kind, id);
      this.locked.add(`${kind} ${id}`);
      this.largest.set(kind, Math.max(id, this.largest.get(kind) ?? id));
    }
  }

  isLocked(kind: LockedKind, id: Id): boolean {
    return this.locked.has(`${kind} ${id}`);
  }

  requireLocked(kind: LockedKind, id: Id): void {
    if (!this.isLocked(kind, id)) throw new Error(`The ${kind} ${id} is to be changed and was not locked.`);
  }

  private requireOrder(kind: LockedKind, id: Id): void {
    const later = kinds.slice(kinds.indexOf(kind) + 1).find((each) => this.largest.has(each));
    if (later !== undefined)
      throw new Error(`The ${kind} ${id} is locked after a ${later}: another order than others'.`);
    const largest = this.largest.get(kind) ?? 0;
    if (largest > id)
      throw new Error(`The ${kind} ${id} is locked after the ${kind} ${largest}: another order than others'.`);
  }
}
