import type {
  Claim,
  ClaimRequest,
  ClaimResult,
  IdempotencyKey,
  IdempotencyStore,
  ResponseStore,
  StoredResponse,
} from '../../src/core/idempotency/idempotency-store.js';
import { type Clock, SECOND } from '../../src/core/shared/clock.js';
import { copyOf, type MemoryDatabase, type StoredIdempotencyKey } from './memory-database.js';
import { MemoryRepository } from './memory-repository.js';

const rowKey = ({ customerId, key }: IdempotencyKey) => `${customerId}/${key}`;

export class MemoryIdempotencyStore implements IdempotencyStore {
  private readonly holder: number;

  constructor(
    private readonly database: MemoryDatabase,
    private readonly clock: Clock,
  ) {
    this.holder = database.next('holder');
  }

  claim(request: ClaimRequest): Promise<ClaimResult> {
    return this.database.transaction(async () => {
      this.database.requireCustomer(request.customerId);
      const stored = this.database.idempotencyKeys.get(rowKey(request));
      if (stored !== undefined && !this.isFree(stored, request)) return claimResultOf(stored, request);
      const { customerId, key, token, fingerprint, at } = request;
      this.database.idempotencyKeys.set(rowKey(request), {
        customerId,
        key,
        token,
        fingerprint,
        startedAt: at,
        heldBy: this.holder,
        leaseUntil: this.now() + request.leaseSeconds * SECOND,
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

  private isFree(stored: StoredIdempotencyKey, { fingerprint, expiredBefore }: ClaimRequest): boolean {
    if (stored.startedAt < expiredBefore) return true;
    return stored.answer === null && stored.fingerprint === fingerprint && stored.leaseUntil <= this.now();
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

export class MemoryResponseStore extends MemoryRepository implements ResponseStore {
  async store(claim: Claim, answer: StoredResponse): Promise<boolean> {
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

function claimResultOf({ fingerprint, answer }: StoredIdempotencyKey, request: ClaimRequest): ClaimResult {
  if (fingerprint !== request.fingerprint) return { outcome: 'taken' };
  return answer === null ? { outcome: 'running' } : { outcome: 'answered', answer: copyOf(answer) };
}
