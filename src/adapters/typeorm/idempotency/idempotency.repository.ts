import { randomInt } from 'node:crypto';
import { type EntityManager, IsNull } from 'typeorm';
import type {
  Claim,
  ClaimRequest,
  ClaimResult,
  IdempotencyStore,
  ResponseStore,
  StoredResponse,
} from '../../../core/idempotency/idempotency-store.js';
import type { Id } from '../../../core/shared/ids.js';
import { clientConfig, listenOn } from '../database/connection.js';
import { TypeormRepository, TypeormStore } from '../database/repository.js';
import { column, inSeconds, select, tableOf } from '../database/sql.js';

interface IdempotencyKeyRow {
  readonly customerId: Id;
  readonly key: string;
  /** Token of the run that holds the key, or that has answered. */
  readonly token: string;
  readonly fingerprint: string;
  readonly startedAt: Date;
  /** The process of the run, as the number of its advisory lock. Null: written by a release without leases. */
  readonly heldBy: number | null;
  /** The time until which an unanswered run holds the key, by the database's clock. */
  readonly leaseUntil: Date;
  /** Null while the run is in progress. */
  readonly answer: StoredResponse | null;
}

export const idempotencyKeyTable = tableOf<IdempotencyKeyRow>('idempotencyKey', 'idempotency_keys', {
  customerId: column.key,
  key: { ...column.text, primary: true },
  token: column.text,
  fingerprint: column.text,
  startedAt: column.instant,
  heldBy: column.optionalBigWhole,
  leaseUntil: { type: 'timestamptz' },
  answer: column.optionalDocument,
});

/** Errors: `service_unavailable`. */
export class TypeormIdempotencyStore extends TypeormStore implements IdempotencyStore {
  /** Identifies this process to others: the number of an advisory lock. */
  private readonly holder = randomInt(2 ** 47);

  claim(request: ClaimRequest): Promise<ClaimResult> {
    return this.query(async (manager) => {
      for (;;) {
        if (await this.claimed(manager, request)) return { outcome: 'claimed' };
        const { customerId, key } = request;
        const stored = await manager.findOneBy(idempotencyKeyTable, { customerId, key });
        // It may have been released or swept since it was found: then it is free.
        if (stored === null) continue;
        if (stored.fingerprint !== request.fingerprint) return { outcome: 'taken' };
        return stored.answer === null ? { outcome: 'running' } : { outcome: 'answered', answer: stored.answer };
      }
    });
  }

  /** One statement, so that of several callers one gets the key; it waits for a transaction that stores a response. */
  private async claimed(manager: EntityManager, request: ClaimRequest): Promise<boolean> {
    const { customerId, key, token, fingerprint, at, leaseSeconds, expiredBefore } = request;
    const rows = await select(
      manager,
      `INSERT INTO idempotency_keys AS k (customer_id, key, token, fingerprint, started_at, held_by, lease_until)
       VALUES ($1, $2, $3, $4, $5, $8, ${inSeconds('$6')})
       ON CONFLICT (customer_id, key) DO UPDATE
       SET token = excluded.token, fingerprint = excluded.fingerprint, started_at = excluded.started_at, held_by = excluded.held_by,
         lease_until = ${inSeconds('$6')}, answer = NULL
       WHERE k.started_at < $7
         OR (k.answer IS NULL AND k.fingerprint = excluded.fingerprint AND k.lease_until <= clock_timestamp())
       RETURNING k.key`,
      [customerId, key, token, fingerprint, at, leaseSeconds, expiredBefore, this.holder],
    );
    return rows.length > 0;
  }

  async renew(claims: readonly Claim[], leaseSeconds: number): Promise<void> {
    const [customerIds, keys] = [claims.map(({ customerId }) => customerId), claims.map(({ key }) => key)];
    const tokens = claims.map(({ token }) => token);
    await this.change(RENEW, customerIds, keys, tokens, leaseSeconds);
  }

  showAlive(): Promise<() => Promise<void>> {
    return listenOn(clientConfig(this.dataSource), { holder: this.holder }, () => undefined);
  }

  async reclaim(begunAfter: Date): Promise<void> {
    await this.change(RECLAIM, this.holder, begunAfter);
  }

  async release({ customerId, key, token }: Claim): Promise<void> {
    await this.query((manager) => manager.delete(idempotencyKeyTable, { customerId, key, token, answer: IsNull() }));
  }

  sweep(before: Date, limit: number): Promise<number> {
    return this.change(
      // Materialized: evaluated again for each row, a locking query with a limit would return other rows each time.
      `WITH old AS MATERIALIZED (
         SELECT customer_id, key FROM idempotency_keys WHERE started_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
       )
       DELETE FROM idempotency_keys k USING old WHERE k.customer_id = old.customer_id AND k.key = old.key`,
      before,
      limit,
    );
  }
}

/** For one customer, inside a transaction. */
export class TypeormResponseStore extends TypeormRepository implements ResponseStore {
  async store({ key, token }: Claim, answer: StoredResponse): Promise<boolean> {
    // By hand: TypeORM's types of an update have no place for a document of unknown values.
    const sql =
      'UPDATE idempotency_keys SET answer = $4 WHERE customer_id = $1 AND key = $2 AND token = $3 AND answer IS NULL';
    return (await this.change(sql, key, token, JSON.stringify(answer))) > 0;
  }
}

/** A row whose response is being committed is skipped: it no longer needs a lease. */
const RENEW = `
  WITH held AS MATERIALIZED (
    SELECT k.customer_id, k.key
    FROM idempotency_keys k JOIN unnest($1::bigint[], $2::text[], $3::text[]) AS given (customer_id, key, token)
      USING (customer_id, key, token)
    WHERE k.answer IS NULL FOR NO KEY UPDATE OF k SKIP LOCKED
  )
  UPDATE idempotency_keys k SET lease_until = ${inSeconds('$4')} FROM held
  WHERE k.customer_id = held.customer_id AND k.key = held.key`;

/** By the database's clock, which all processes compare. */
const LEASED = 'answer IS NULL AND lease_until > clock_timestamp() AND started_at > $2';

/**
 * A holder's lock is free when its connection has ended, which the server notices immediately when the process dies. The start of the run
 * is in the condition only because there is an index on it: there may be millions of responses.
 */
const RECLAIM = `
  WITH holders AS (
    SELECT DISTINCT held_by FROM idempotency_keys WHERE ${LEASED} AND held_by <> $1
  ), dead AS MATERIALIZED (
    SELECT held_by FROM holders WHERE pg_try_advisory_xact_lock(held_by)
  )
  UPDATE idempotency_keys k SET lease_until = clock_timestamp() FROM dead WHERE k.held_by = dead.held_by AND ${LEASED}`;
