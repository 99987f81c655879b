import { DomainError, type ItemError, isOutage } from '../shared/errors.js';
import { unprocessable } from './fail-item.js';
import type { LeasedFetch } from './source-fetch.js';
import { SourceFailure } from './source-reader.js';

/** The item was cancelled, or got other bytes. */
export function isSettled(error: unknown): boolean {
  return error instanceof DomainError && ['import_photo_final', 'upload_forbidden'].includes(error.code);
}

/** Whether the reason is on our side and passes: such a try is not counted. */
export function isOurFault(error: unknown): boolean {
  const passing = ['storage_full', 'rate_limited', 'upload_in_progress'];
  return isOutage(error) || (error instanceof DomainError && passing.includes(error.code));
}

/** What is to be recorded of a try that failed, and whether another can succeed. */
export function failureOf({ declaredBytes }: LeasedFetch, error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (!(error instanceof DomainError)) return new SourceFailure(unprocessable, false);
  if (error.code === 'checksum_mismatch') return new SourceFailure(otherHash, true);
  if (declaredBytes !== null) return new SourceFailure({ code: 'size_mismatch', message: otherSize }, true);
  return new SourceFailure({ code: 'source_unreachable', message: otherLength }, false);
}

const otherHash: ItemError = {
  code: 'checksum_mismatch',
  message: 'The SHA-256 of the fetched bytes is not the declared one.',
};
const otherSize = 'The fetched file does not have the declared size.';
const otherLength = 'The source did not send as many bytes as it had announced.';
