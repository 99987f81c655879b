import type { Id } from '../../core/shared/ids.js';

interface Waiting {
  readonly alone: boolean;
  readonly wake: () => void;
}

/**
 * A limit of concurrency that is shared between customers: those who wait take turns by customer, and a customer with nothing under way
 * does not wait for others: for one such there is a slot more. Work that is to be alone runs beside none of its own customer's, and
 * holds up nobody else. Of one customer, first come, first served.
 */
export class FairLimit {
  /** In the order of their turns. */
  readonly #waiting = new Map<Id, Waiting[]>();
  readonly #taken = new Map<Id, number>();
  /** Customers of whom something runs that is to be alone. */
  readonly #alone = new Set<Id>();

  constructor(private readonly count: number) {}

  /** Calls of a customer that run or wait. */
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
      // Its next turn is after everybody else's.
      this.#waiting.delete(next);
      if (others.length > 0) this.#waiting.set(next, others);
      this.#taken.set(next, (this.#taken.get(next) ?? 0) + 1);
      if (first?.alone) this.#alone.add(next);
      first?.wake();
    }
  }

  /** Whose turn it is, if there is a slot. What waits to be alone holds up what its customer asked for later, or its turn might never come. */
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
