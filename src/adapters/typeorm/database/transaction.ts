import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  type DataSource,
  type EntityManager,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { DomainError } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { clientConfig, withClient } from './connection.js';
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

/**
 * Runs queries on a separate connection, without the time limits of requests: counting millions takes as long as it takes. Errors:
 * `service_unavailable`.
 */
export async function withoutLimits<T>(
  dataSource: DataSource,
  work: (ask: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>) => Promise<T>,
): Promise<T> {
  const config = { ...clientConfig(dataSource), statement_timeout: 0, query_timeout: 0 };
  try {
    return await withClient(config, (client) =>
      work(async (sql, parameters) => (await client.query(sql, parameters)).rows),
    );
  } catch (error) {
    throw statementError(error);
  }
}

/** SQL, and the name by which a connection prepares it, if it does. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** Whether it is one of many statements that a request can choose from: they must leave the others room. */
  readonly isVariant?: boolean;
}

/**
 * The number of variants that a connection prepares; it parses and plans further ones each time. The server keeps the plans of a connection's
 * statements, and each takes tens of kilobytes of its memory.
 */
export const MAX_VARIANTS = 50;

/** A connection that prepares statements by their names. */
export class PreparingClient extends pg.Client {
  private readonly variants = new Set<string>();

  /** Whether a statement of this name has been prepared, or is to be. */
  prepares({ name, isVariant }: Statement): boolean {
    if (name === undefined || isVariant !== true) return name !== undefined;
    if (this.variants.size < MAX_VARIANTS) this.variants.add(name);
    return this.variants.has(name);
  }
}

/**
 * Runs the statements of one piece of work on one connection, those of TypeORM's own builders included, and translates their errors into
 * core's. One at a time: pg will no longer accept a statement while another runs.
 */
export class StatementRunner extends PostgresQueryRunner {
  /** Whether there was a statement, which acquires the connection. */
  begun = false;
  /** The error of a statement that was not rolled back to a savepoint. */
  failure: unknown;
  /** Whether no answer came to a statement, so that the state of the connection is unknown. */
  lost = false;
  private ended = false;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(dataSource: DataSource) {
    super(dataSource.driver as PostgresDriver, 'master');
    this.manager = dataSource.createEntityManager(this);
  }

  /** Begins a transaction with this statement, in place of TypeORM's own. */
  async begin(start: string): Promise<void> {
    this.isTransactionActive = true;
    await this.query(start);
    this.transactionDepth = 1;
  }

  /** From here on only the end of the transaction is executed: a branch of the work that continues must not write outside of it. */
  end(): void {
    this.ended = true;
  }

  /** Runs a statement of ours: by its name, which TypeORM does not support, on a connection that prepares it. */
  run<T>(statement: Statement, values: unknown[]): Promise<{ rows: T[]; count: number }> {
    const { name, text } = statement;
    return this.inTurn(text, async () => {
      if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
      const client: pg.Client = await this.connect();
      const isPrepared = client instanceof PreparingClient && client.prepares(statement);
      try {
        const { rows, rowCount } = await client.query(isPrepared ? { name, text } : text, values);
        return { rows, count: rowCount ?? 0 };
      } catch (error) {
        throw new QueryFailedError(text, values, error as Error);
      }
    });
  }

  override query(...statement: Parameters<PostgresQueryRunner['query']>): ReturnType<PostgresQueryRunner['query']> {
    return this.inTurn(statement[0], () => super.query(...statement));
  }

  override async rollbackTransaction(): Promise<void> {
    await super.rollbackTransaction();
    this.failure = undefined;
  }

  /** Closes a connection whose last answer never came, or whose transaction is still open, so that it is not reused. */
  override async release(): Promise<void> {
    // A statement that still waits for the connection would get it afterwards, and no one would give it back.
    await this.turn;
    if ((this.lost || this.isTransactionActive) && !this.isReleased) {
      const client: pg.Client | undefined = await this.connect().catch(() => undefined);
      // Not awaited: the pool drops a client that is ending, and the other side may never answer.
      client?.end().catch(() => {});
    }
    await super.release();
  }

  private inTurn<T>(sql: string, execute: () => Promise<T>): Promise<T> {
    this.begun = true;
    const result = this.turn.then(async () => {
      if (this.ended && sql !== 'COMMIT' && sql !== 'ROLLBACK') throw new Error('This transaction has ended.');
      try {
        return await execute();
      } catch (error) {
        this.failure = statementError(error);
        if (sqlState(error) === undefined) this.lost = true;
        throw this.failure;
      }
    });
    this.turn = result.catch(() => {});
    return result;
  }
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

/** The error of work: TypeORM releases a connection that ends between two statements, and is then given the second. */
function workError(error: unknown): unknown {
  const isReleased =
    error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
  return isReleased ? unavailable(error) : error;
}

function unavailable(cause: unknown): DomainError {
  const error = new DomainError(
    'service_unavailable',
    'The database is unavailable or too busy. Try again in a moment.',
  );
  error.cause = cause;
  return error;
}
