import pg from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { DomainError } from '../../../core/shared/errors.js';

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

/** Whether somebody else held what a statement had to lock for longer than it was to wait. */
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
export function isLost(error: unknown): boolean {
  return sqlState(error) === undefined;
}

/** Whether TypeORM had already released the connection, because it ended. */
export function isReleased(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}

export function unavailable(cause: unknown): DomainError {
  const error = new DomainError(
    'service_unavailable',
    'The database is unavailable or too busy. Try again in a moment.',
  );
  error.cause = cause;
  return error;
}
