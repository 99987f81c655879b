import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import { clientConfig, withClient } from './connection.js';
import { isConflict, StatementRunner, statementError, unavailable, workError } from './query-runner.js';
import { beginOf, rowSecurityOf } from './row-security.js';

const ATTEMPTS = 3;
const PAUSE_MS = 40;

/**
 * Runs `work` in one transaction (READ COMMITTED), again from its beginning if it conflicted with another. Errors: `service_unavailable`;
 * whatever `work` throws, after the rollback.
 */
export function inTransaction<T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  return repeated(() => once(dataSource, 'START TRANSACTION', work));
}

/**
 * The same for a transaction of one customer: the database itself does not let it see or change rows of others (docs/decisions/0029).
 * Preferred wherever the customer is known.
 */
export function inCustomerTransaction<T>(
  dataSource: DataSource,
  customerId: Id,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const start = beginOf(rowSecurityOf(dataSource), customerId);
  return repeated(() => once(dataSource, start, work));
}

async function repeated<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === ATTEMPTS) throw unavailable(error);
      // Two conflicting transactions would conflict again if they waited equally long.
      await delay(PAUSE_MS * attempt * Math.random());
    }
  }
}

async function once<T>(
  dataSource: DataSource,
  start: string,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = new StatementRunner(dataSource);
  try {
    await runner.begin(start);
    const result = await work(runner.manager);
    runner.end();
    // Postgres answers COMMIT with ROLLBACK, and no error, when a statement failed and `work` continued regardless.
    if (runner.failure !== undefined) throw runner.failure;
    await runner.commitTransaction();
    return result;
  } catch (error) {
    runner.end();
    if (runner.isTransactionActive && !runner.lost) await runner.rollbackTransaction().catch(() => {});
    throw workError(error);
  } finally {
    await runner.release();
  }
}

/**
 * Runs `work` without a transaction, on one connection that is acquired with its first statement. Errors: `service_unavailable`.
 * @param work Is told whether it has its connection already: if it has one, it must not wait for another, whose holder may be waiting for
 * this one.
 */
export async function withoutTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager, isConnected: () => boolean) => Promise<T>,
): Promise<T> {
  const runner = new StatementRunner(dataSource);
  try {
    return await work(runner.manager, () => runner.begun);
  } catch (error) {
    throw workError(error);
  } finally {
    runner.end();
    await runner.release();
  }
}

type Ask = <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/**
 * Runs queries on a separate connection, without the time limits of requests: counting millions takes as long as it takes. Errors:
 * `service_unavailable`.
 */
export async function withoutLimits<T>(dataSource: DataSource, work: (ask: Ask) => Promise<T>): Promise<T> {
  const config = { ...clientConfig(dataSource), statement_timeout: 0, query_timeout: 0 };
  try {
    return await withClient(config, (client) =>
      work(async (sql, parameters) => (await client.query(sql, parameters)).rows),
    );
  } catch (error) {
    throw statementError(error);
  }
}
