import { DomainError } from '../../core/shared/errors.js';

/** The times for which a store may be silent, in milliseconds. */
export interface StoreTimeouts {
  readonly connect: number;
  /** Without a byte in either direction: the attempt has failed. */
  readonly silence: number;
  /** For a call with all its attempts, up to the head of the response. */
  readonly call: number;
  /** The same for one that sends a part of a blob. */
  readonly sending: number;
  readonly attempts: number;
}

/** A store that hangs is given up after three timeouts and the pauses between them: within 60 s. */
export const usualPatience: StoreTimeouts = {
  connect: 5_000,
  silence: 15_000,
  call: 50_000,
  sending: 600_000,
  attempts: 3,
};

/** More than the concurrent uploads and downloads of a process. */
export const MAX_SOCKETS = 200;

/** Makes a call with a deadline for the head of its response; a body that follows has its own timeout. Errors are those of the call. */
export async function withDeadline<T>(milliseconds: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), milliseconds);
  try {
    return await call(late.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** `service_unavailable`, with the original error as its cause: whatever a store does wrong, its callers see an outage. */
export function storeOutage(cause: unknown): DomainError {
  const message = 'The photo storage is temporarily unavailable. Try again later.';
  return Object.assign(new DomainError('service_unavailable', message), { cause });
}

/** Runs a call to the store: what it throws becomes `service_unavailable`. */
export async function onStore<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof DomainError ? error : storeOutage(error);
  }
}
