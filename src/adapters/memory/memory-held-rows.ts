import type { Id } from '../../core/shared/ids.js';

type Kind = 'customer' | 'photo' | 'import' | 'item' | 'endpoint' | 'user';

/**
 * The rows that one transaction holds. Transactions run one after another here, so nobody could meet in a row; this is for finding
 * work that forgets to lock what it changes, which would go wrong on a database only, and only now and then.
 */
export class HeldRows {
  private readonly held = new Set<string>();

  hold(kind: Kind, ids: readonly Id[]): void {
    for (const id of ids) this.held.add(`${kind} ${id}`);
  }

  holds(kind: Kind, id: Id): boolean {
    return this.held.has(`${kind} ${id}`);
  }

  requireHeld(kind: Kind, id: Id): void {
    if (!this.holds(kind, id)) throw new Error(`The ${kind} ${id} is to be changed and was not locked.`);
  }
}
