import type { Id } from '../../../core/shared/ids.js';

interface Waiting {
  readonly alone: boolean;
  readonly wake: () => void;
}

/**
 * A concurrency limit shared between customers: waiting calls take turns by customer, and a customer with nothing in progress does not wait
 * for others: there is one extra slot for this. A call that must run alone runs beside no other of its own customer, and delays no one
 * else. Within one customer, first come, first served.
 */
export class FairLimit {
  /** In the order of their turns. */
  readonly #waiting = new Map<Id, Waiting[]>();
  readonly #taken = new Map<Id, number>();
  /** Customers with a running call that must be alone. */
  readonly #alone = new Set<Id>();

  constructor(private readonly count: number) {}

  /** Number of a customer's running and waiting calls. */
  asked(customerId: Id): number {
    return (this.#taken.get(customerId) ?? 0) + (this.#waiting.get(customerId)?.length ?? 0);
  }

  /** Resolves with a slot, which must be released. */
  async acquire(customerId: Id, { alone = false }: { alone?: boolean } = {}): Promise<void> {
    const turn = new Promise<void>((wake) => {
      const queue = this.#waiting.get(customerId) ?? [];
      this.#waiting.set(customerId, [...queue, { alone, wake }]);
    });
    this.#letIn();
    await turn;
  }

  release(customerId: Id): void {
    const taken = (this.#taken.get(customerId) ?? 0) - 1;
    if (taken > 0) this.#taken.set(customerId, taken);
    else this.#taken.delete(customerId);
    this.#alone.delete(customerId);
    this.#letIn();
  }

  #letIn(): void {
    for (let next = this.#nextCustomer(); next !== null; next = this.#nextCustomer()) {
      const [first, ...others] = this.#waiting.get(next) ?? [];
      // Its next turn comes after everyone else's.
      this.#waiting.delete(next);
      if (others.length > 0) this.#waiting.set(next, others);
      this.#taken.set(next, (this.#taken.get(next) ?? 0) + 1);
      if (first?.alone) this.#alone.add(next);
      first?.wake();
    }
  }

  /**
   * The customer whose turn it is, if there is a slot. A call that must run alone blocks later calls of its customer, or it might never get
   * its turn.
   */
  #nextCustomer(): Id | null {
    for (const [customerId, [first]] of this.#waiting) {
      const mayBegin = first?.alone ? !this.#taken.has(customerId) : !this.#alone.has(customerId);
      if (mayBegin && this.#isFree(customerId)) return customerId;
    }
    return null;
  }

  #isFree(customerId: Id): boolean {
    return this.#all() < this.count || (this.#all() === this.count && !this.#taken.has(customerId));
  }

  #all(): number {
    return [...this.#taken.values()].reduce((sum, taken) => sum + taken, 0);
  }
}
