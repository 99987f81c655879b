import type { DataSource, EntityManager } from 'typeorm';
import type {
  AnswerKeeper,
  Attempt,
  Attempted,
  Claim,
  IdempotencyStore,
  KeptAnswer,
} from '../../core/idempotency/idempotency-store.js';
import type { Id } from '../../core/shared/ids.js';
import { type IdempotencyKeyRow, idempotencyKeyTable } from './idempotency-key.table.js';
import { change, select } from './rows.js';
import { withoutTransaction } from './transaction.js';

/** Errors: `service_unavailable`. */
export class TypeormIdempotencyStore implements IdempotencyStore {
  constructor(private readonly dataSource: DataSource) {}

  claim(attempt: Attempt): Promise<Attempted> {
    return withoutTransaction(this.dataSource, async (manager) => {
      for (;;) {
        if (await claimed(manager, attempt)) return { outcome: 'claimed' };
        const { customerId, key } = attempt;
        const stored = await manager.findOneBy(idempotencyKeyTable, { customerId, key });
        // It can have been released or swept after we met it: then it is free.
        if (stored !== null) return told(stored, attempt);
      }
    });
  }

  release(claim: Claim): Promise<void> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const sql = `DELETE FROM idempotency_keys WHERE ${UNANSWERED}`;
      await change(manager, sql, [claim.customerId, claim.key, claim.token]);
    });
  }

  sweep(before: Date, limit: number): Promise<number> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const { count } = await change(
        manager,
        // Materialized: looked at again for each row, a locking query with a limit would answer other rows each time.
        `WITH old AS MATERIALIZED (
           SELECT customer_id, key FROM idempotency_keys WHERE started_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
         )
         DELETE FROM idempotency_keys k USING old WHERE k.customer_id = old.customer_id AND k.key = old.key`,
        [before, limit],
      );
      return count;
    });
  }
}

/** Of one customer, inside a transaction. */
export class TypeormAnswerKeeper implements AnswerKeeper {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  async keep({ key, token }: Claim, answer: KeptAnswer): Promise<boolean> {
    const sql = `UPDATE idempotency_keys SET answer = $4 WHERE ${UNANSWERED}`;
    const { count } = await change(this.manager, sql, [this.customerId, key, token, JSON.stringify(answer)]);
    return count > 0;
  }
}

const UNANSWERED = 'customer_id = $1 AND key = $2 AND token = $3 AND answer IS NULL';

/** One statement, so that of several callers one gets the key; it waits for a transaction that keeps an answer. */
async function claimed(manager: EntityManager, attempt: Attempt): Promise<boolean> {
  const rows = await select(
    manager,
    `INSERT INTO idempotency_keys AS k (customer_id, key, token, fingerprint, started_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (customer_id, key) DO UPDATE
     SET token = excluded.token, fingerprint = excluded.fingerprint, started_at = excluded.started_at, answer = NULL
     WHERE k.started_at < $7
       OR (k.answer IS NULL AND k.fingerprint = excluded.fingerprint AND k.started_at < $6)
     RETURNING k.key`,
    [
      attempt.customerId,
      attempt.key,
      attempt.token,
      attempt.fingerprint,
      attempt.at,
      attempt.deadBefore,
      attempt.forgottenBefore,
    ],
  );
  return rows.length > 0;
}

function told({ fingerprint, answer }: IdempotencyKeyRow, attempt: Attempt): Attempted {
  if (fingerprint !== attempt.fingerprint) return { outcome: 'taken' };
  return answer === null ? { outcome: 'running' } : { outcome: 'answered', answer };
}
