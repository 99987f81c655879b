import { S3ServiceException } from '@aws-sdk/client-s3';
import { DomainError } from '../../core/shared/errors.js';

/** `service_unavailable`, with the original error as its cause: whatever a store does wrong, its callers see an outage. */
export function storeOutage(cause: unknown): DomainError {
  const unavailable = new DomainError(
    'service_unavailable',
    'The photo storage is temporarily unavailable. Try again later.',
  );
  unavailable.cause = cause;
  return unavailable;
}

/** Runs a call to the store: what it throws becomes `service_unavailable`. */
export async function onStore<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof DomainError ? error : storeOutage(error);
  }
}

/** The store's error code (`NoSuchKey`); null when it sent none, or a response that is not S3's. */
export function refusalOf(error: unknown): string | null {
  return isRefusal(error) ? error.name : null;
}

export function statusOf(error: unknown): number | null {
  return isRefusal(error) ? (error.$metadata.httpStatusCode ?? null) : null;
}

function isRefusal(error: unknown): error is S3ServiceException {
  return error instanceof S3ServiceException;
}
