import type { Id } from '../../src/core/shared/ids.js';

type Kind = 'bulk edit' | 'customer' | 'photo' | 'import' | 'item' | 'endpoint' | 'delivery key' | 'share' | 'user';

/**
 * The rows that one transaction holds. Transactions run one after another here, so nobody could meet in a row; this is for finding
 * work that forgets to lock what it changes, which would go wrong on a database only, and only now and then.
 */
export class LockedRows {
  private readonly locked = new Set<string>();

  lock(kind: Kind, ids: readonly Id[]): void {
    for (const id of ids) this.locked.add(`${kind} ${id}`);
  }

  isLocked(kind: Kind, id: Id): boolean {
    return this.locked.has(`${kind} ${id}`);
  }

  requireLocked(kind: Kind, id: Id): void {
    if (!this.isLocked(kind, id)) throw new Error(`The ${kind} ${id} is to be changed and was not locked.`);
  }
}
