import pg from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { DomainError } from '../../core/shared/errors.js';

/** Classes and single codes of SQLSTATE that say: not now (PostgreSQL manual, appendix A). */
const NOT_NOW = [
  '08000', // the connection failed; not 08P01, which is a mistake of ours
  '08001',
  '08003',
  '08004',
  '08006',
  '28', // not let in
  '3D', // no such database
  '53', // disk full, out of memory, too many connections
  '57', // cancelled by the time limit, shutting down, starting up
  '58', // the system under it failed
  '25006', // read-only
  '25P03', // idle inside a transaction for too long
  '25P04', // the transaction took too long
  '55P03', // waited too long for a lock
];

/** Two transactions got into each other's way: the same work, run again, goes through. */
const CONFLICTS = ['40001', '40P01'];

/** SQLSTATE of an error that the server sent; undefined when it did not come from the server. */
function sqlState(error: unknown): string | undefined {
  const cause = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

export function isConflict(error: unknown): boolean {
  return CONFLICTS.includes(sqlState(error) ?? '');
}

/** Whether a statement failed because another row has what this unique constraint or index allows once. */
export function isTaken(error: unknown, constraint: string): boolean {
  const cause = error instanceof QueryFailedError ? error.driverError : undefined;
  return cause instanceof pg.DatabaseError && cause.code === '23505' && cause.constraint === constraint;
}

/**
 * What a statement, or the wait for a connection, failed with. Without a SQLSTATE the server did not answer: refused, cut
 * off, timed out, or the pool had none free in time.
 */
export function statementError(error: unknown): unknown {
  const state = sqlState(error);
  if (state !== undefined && !NOT_NOW.some((prefix) => state.startsWith(prefix))) return error;
  return unavailable(error);
}

/** Whether nobody knows in which state the connection is: no answer came. */
export function isLost(error: unknown): boolean {
  return sqlState(error) === undefined;
}

/** Whether TypeORM had given the connection back already, because it ended. */
export function isReleased(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}

export function unavailable(cause: unknown): DomainError {
  const error = new DomainError(
    'service_unavailable',
    'The database cannot be reached, or is too busy. Try again in a moment.',
  );
  error.cause = cause;
  return error;
}
