import { setTimeout as delay } from 'node:timers/promises';
import pg, { type Client } from 'pg';
import {
  type DataSource,
  type EntityManager,
  QueryFailedError,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { DomainError } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { clientConfig, withClient } from './connection.js';
import { beginOf, rowSecurityOf } from './row-security.js';

const ATTEMPTS = 3;
const PAUSE_MS = 40;
/** The statement with which TypeORM begins a transaction. */
const START = 'START TRANSACTION';

/**
 * Runs `work` in one transaction (READ COMMITTED), again from its beginning if it conflicted with another. Errors: `service_unavailable`;
 * whatever `work` throws, after the rollback.
 */
export function inTransaction<T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  return repeated(() => once(dataSource, START, work));
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

/**
 * Runs `work` without a transaction, on one connection that is acquired with its first statement. Errors: `service_unavailable`.
 * @param work Is told whether it has its connection already: if it has one, it must not wait for another, whose holder may be waiting for
 * this one.
 */
export async function withoutTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager, isConnected: () => boolean) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  const statements = watch(runner);
  try {
    return await work(runner.manager, statements.begun);
  } catch (error) {
    throw workError(error);
  } finally {
    statements.end();
    await giveBack(runner, statements.lost());
  }
}

async function once<T>(
  dataSource: DataSource,
  start: string,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  const statements = watch(runner, start);
  try {
    await runner.startTransaction();
    const result = await work(runner.manager);
    statements.end();
    // Postgres answers COMMIT with ROLLBACK, and no error, when a statement failed and `work` continued regardless.
    if (statements.failure() !== undefined) throw statements.failure();
    await runner.commitTransaction();
    return result;
  } catch (error) {
    statements.end();
    const open = runner.isTransactionActive && statements.lost() === undefined;
    if (open) await runner.rollbackTransaction().catch(() => {});
    throw workError(error);
  } finally {
    await giveBack(runner, statements.lost());
  }
}

/** TypeORM releases a connection that ends between two statements, and is then given the second. */
function workError(error: unknown): unknown {
  return isReleased(error) ? unavailable(error) : error;
}

/** The outcome of the statements of one runner. */
interface Statements {
  /** There was one. */
  begun(): boolean;
  /** From here on only the end of the transaction is executed: a branch of `work` that continues must not write outside of it. */
  end(): void;
  /** The error of a statement that was not rolled back to a savepoint. */
  failure(): unknown;
  /** The error after which the connection is unusable. */
  lost(): Error | undefined;
}

/**
 * Intercepts every statement of a runner, including those of TypeORM's own builders, and translates its errors into core's. One at a time:
 * pg will no longer accept a statement while another runs.
 * @param start What begins its transaction, in place of TypeORM's own statement.
 */
function watch(runner: QueryRunner, start = START): Statements {
  const query = runner.query.bind(runner) as (...statement: unknown[]) => Promise<unknown>;
  let begun = false;
  let ended = false;
  let failure: unknown;
  let lost: Error | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const watched = async (sql: string, ...rest: unknown[]): Promise<unknown> => {
    if (ended && sql !== 'COMMIT' && sql !== 'ROLLBACK') throw new Error('This transaction has ended.');
    try {
      const result = await query(sql === START ? start : sql, ...rest);
      if (sql.startsWith('ROLLBACK TO SAVEPOINT')) failure = undefined;
      return result;
    } catch (error) {
      failure = statementError(error);
      if (isLost(error)) lost = error as Error;
      throw failure;
    }
  };
  const inTurn = (...statement: Parameters<typeof watched>) => {
    begun = true;
    const result = turn.then(() => watched(...statement));
    turn = result.catch(() => {});
    return result;
  };
  runner.query = inTurn as QueryRunner['query'];
  return {
    begun: () => begun,
    end() {
      ended = true;
    },
    failure: () => failure,
    lost: () => lost,
  };
}

/** A connection whose last answer never came is closed, not reused. */
async function giveBack(runner: QueryRunner, lost: Error | undefined): Promise<void> {
  if (lost !== undefined && !runner.isReleased) {
    const client: Client | undefined = await runner.connect().catch(() => undefined);
    // Not awaited: the pool drops a client that is ending, and the other side may never answer.
    client?.end().catch(() => {});
  }
  await runner.release();
}

/** Classes and single codes of SQLSTATE for temporary failures (PostgreSQL manual, appendix A). */
const NOT_NOW = [
  '08000', // the connection failed; not 08P01, which is a mistake of ours
  '08001',
  '08003',
  '08004',
  '08006',
  '28', // access refused
  '3D', // no such database
  '53', // disk full, out of memory, too many connections
  '57', // cancelled by the time limit, shutting down, starting up
  '58', // a system error on the server
  '25006', // read-only
  '25P03', // idle inside a transaction for too long
  '25P04', // the transaction took too long
  '55P03', // waited too long for a lock
];

/** A conflict between two transactions: the same work, run again, succeeds. */
const CONFLICTS = ['40001', '40P01'];

/** SQLSTATE of an error that the server sent; undefined when it did not come from the server. */
function sqlState(error: unknown): string | undefined {
  const cause = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

export function isConflict(error: unknown): boolean {
  return CONFLICTS.includes(sqlState(error) ?? '');
}

/** Whether another transaction held what a statement had to lock for longer than it was to wait. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/** Whether a statement failed because another row has the value that this unique constraint or index allows only once. */
export function isTaken(error: unknown, constraint: string): boolean {
  const cause = error instanceof QueryFailedError ? error.driverError : undefined;
  return cause instanceof pg.DatabaseError && cause.code === '23505' && cause.constraint === constraint;
}

/**
 * The error of a statement, or of the wait for a connection. Without a SQLSTATE the server did not answer: refused, cut off, timed out, or
 * the pool had no free connection in time.
 */
export function statementError(error: unknown): unknown {
  const state = sqlState(error);
  if (state !== undefined && !NOT_NOW.some((prefix) => state.startsWith(prefix))) return error;
  return unavailable(error);
}

/** Whether the state of the connection is unknown, because no answer came. */
function isLost(error: unknown): boolean {
  return sqlState(error) === undefined;
}

/** Whether TypeORM had already released the connection, because it ended. */
function isReleased(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}

function unavailable(cause: unknown): DomainError {
  const error = new DomainError(
    'service_unavailable',
    'The database is unavailable or too busy. Try again in a moment.',
  );
  error.cause = cause;
  return error;
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
