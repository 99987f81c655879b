import type {
  AnswerKeeper,
  Attempt,
  Attempted,
  Claim,
  IdempotencyKey,
  IdempotencyStore,
  KeptAnswer,
} from '../../core/idempotency/idempotency-store.js';
import { type Clock, SECOND } from '../../core/shared/clock.js';
import type { Id } from '../../core/shared/ids.js';
import { copyOf, type MemoryDatabase, type StoredIdempotencyKey } from './memory-database.js';

const rowKey = ({ customerId, key }: IdempotencyKey) => `${customerId}/${key}`;

export class MemoryIdempotencyStore implements IdempotencyStore {
  private readonly holder: number;

  constructor(
    private readonly database: MemoryDatabase,
    private readonly clock: Clock,
  ) {
    this.holder = database.next('holder');
  }

  claim(attempt: Attempt): Promise<Attempted> {
    return this.database.transaction(async () => {
      this.database.requireCustomer(attempt.customerId);
      const stored = this.database.idempotencyKeys.get(rowKey(attempt));
      if (stored !== undefined && !this.isFree(stored, attempt)) return told(stored, attempt);
      const { customerId, key, token, fingerprint, at } = attempt;
      this.database.idempotencyKeys.set(rowKey(attempt), {
        customerId,
        key,
        token,
        fingerprint,
        startedAt: at,
        heldBy: this.holder,
        leaseUntil: this.now() + attempt.leaseSeconds * SECOND,
        answer: null,
      });
      return { outcome: 'claimed' };
    });
  }

  renew(claims: readonly Claim[], leaseSeconds: number): Promise<void> {
    return this.database.transaction(async () => {
      const leaseUntil = this.now() + leaseSeconds * SECOND;
      for (const claim of claims) {
        const stored = unanswered(this.database, claim);
        if (stored) this.database.idempotencyKeys.set(rowKey(claim), { ...stored, leaseUntil });
      }
    });
  }

  async showAlive(): Promise<() => Promise<void>> {
    this.database.aliveHolders.add(this.holder);
    return async () => void this.database.aliveHolders.delete(this.holder);
  }

  reclaim(begunAfter: Date): Promise<void> {
    return this.database.transaction(async () => {
      const isDead = (holder: number) => holder !== this.holder && !this.database.aliveHolders.has(holder);
      const leaseUntil = this.now();
      const left = this.database.idempotencyKeys.where(
        (stored) => stored.answer === null && stored.startedAt > begunAfter && isDead(stored.heldBy),
      );
      for (const stored of left) this.database.idempotencyKeys.set(rowKey(stored), { ...stored, leaseUntil });
    });
  }

  release(claim: Claim): Promise<void> {
    return this.database.transaction(async () => {
      if (unanswered(this.database, claim)) this.database.idempotencyKeys.delete(rowKey(claim));
    });
  }

  sweep(before: Date, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const old = this.database.idempotencyKeys.where(({ startedAt }) => startedAt < before).slice(0, limit);
      for (const stored of old) this.database.idempotencyKeys.delete(rowKey(stored));
      return old.length;
    });
  }

  private isFree(stored: StoredIdempotencyKey, { fingerprint, forgottenBefore }: Attempt): boolean {
    if (stored.startedAt < forgottenBefore) return true;
    return stored.answer === null && stored.fingerprint === fingerprint && stored.leaseUntil <= this.now();
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

export class MemoryAnswerKeeper implements AnswerKeeper {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {}

  async keep(claim: Claim, answer: KeptAnswer): Promise<boolean> {
    const own = { ...claim, customerId: this.customerId };
    const stored = unanswered(this.database, own);
    // As JSON, which is what a database keeps of it.
    if (stored)
      this.database.idempotencyKeys.set(rowKey(own), { ...stored, answer: JSON.parse(JSON.stringify(answer)) });
    return stored !== null;
  }
}

/** The record that a claim holds, as long as it has no answer. */
function unanswered(database: MemoryDatabase, claim: Claim): StoredIdempotencyKey | null {
  const stored = database.idempotencyKeys.get(rowKey(claim));
  return stored?.token === claim.token && stored.answer === null ? stored : null;
}

function told({ fingerprint, answer }: StoredIdempotencyKey, attempt: Attempt): Attempted {
  if (fingerprint !== attempt.fingerprint) return { outcome: 'taken' };
  return answer === null ? { outcome: 'running' } : { outcome: 'answered', answer: copyOf(answer) };
}
