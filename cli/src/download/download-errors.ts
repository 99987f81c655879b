import { ApiError, ConnectionError } from 'photo-service-sdk';

/** Whether no other file would come either: without a valid key, with its budget used up, or without a service. */
export function isHopeless(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && [401, 403, 429].includes(error.status));
}

/** The code of why a file did not come: that of the service or of the system, otherwise the name of the error. */
export function codeOf(error: Error): string {
  return error instanceof ApiError ? error.code : ((error as NodeJS.ErrnoException).code ?? error.name);
}
