import { DomainError } from '../../core/shared/errors.js';

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The code of a failed system call (`ENOENT`), or null for any other error. */
export function systemCode(error: unknown): string | null {
  // By its shape: `instanceof` is false for errors of Node itself when the caller runs in another realm, as tests do.
  if (typeof error !== 'object' || error === null || !('syscall' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/**
 * No such file, a file where a folder would be, or a symbolic link, which the service never creates: what a key without a blob looks like.
 */
export function isAbsence(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}

/** Runs file system calls: their failures become `service_unavailable`, with the system's error as the cause. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error);
  }
}

function storageError(error: unknown): unknown {
  const code = systemCode(error);
  if (code === null) return error;
  const unavailable = new DomainError(
    'service_unavailable',
    NO_ROOM.has(code)
      ? 'The photo storage is full. Try again later.'
      : 'The photo storage is temporarily unavailable. Try again later.',
  );
  unavailable.cause = error;
  return unavailable;
}
