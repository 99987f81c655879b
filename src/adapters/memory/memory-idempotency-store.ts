import type {
  AnswerKeeper,
  Attempt,
  Attempted,
  Claim,
  IdempotencyKey,
  IdempotencyStore,
  KeptAnswer,
} from '../../core/idempotency/idempotency-store.js';
import type { Id } from '../../core/shared/ids.js';
import { copyOf, type MemoryDatabase, type StoredIdempotencyKey } from './memory-database.js';

const rowKey = ({ customerId, key }: IdempotencyKey) => `${customerId}/${key}`;

export class MemoryIdempotencyStore implements IdempotencyStore {
  constructor(private readonly database: MemoryDatabase) {}

  claim(attempt: Attempt): Promise<Attempted> {
    return this.database.transaction(async () => {
      this.database.demandCustomer(attempt.customerId);
      const stored = this.database.idempotencyKeys.get(rowKey(attempt));
      if (stored !== undefined && !isFree(stored, attempt)) return told(stored, attempt);
      const { customerId, key, token, fingerprint, at } = attempt;
      this.database.idempotencyKeys.set(rowKey(attempt), {
        customerId,
        key,
        token,
        fingerprint,
        startedAt: at,
        answer: null,
      });
      return { outcome: 'claimed' };
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

function isFree(stored: StoredIdempotencyKey, { fingerprint, deadBefore, forgottenBefore }: Attempt): boolean {
  if (stored.startedAt < forgottenBefore) return true;
  return stored.answer === null && stored.fingerprint === fingerprint && stored.startedAt < deadBefore;
}

function told({ fingerprint, answer }: StoredIdempotencyKey, attempt: Attempt): Attempted {
  if (fingerprint !== attempt.fingerprint) return { outcome: 'taken' };
  return answer === null ? { outcome: 'running' } : { outcome: 'answered', answer: copyOf(answer) };
}
