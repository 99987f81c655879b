import type { DomainError, ErrorCode } from '../../core/shared/errors.js';

/** Seconds after which the same request may succeed. */
export const retryAfter: Readonly<Partial<Record<ErrorCode, number>>> = {
  service_unavailable: 5,
  idempotency_in_progress: 1,
  request_timeout: 1,
  rate_limited: 1,
  storage_full: 60,
};

/** The same for an error, which may know better. */
export function retryAfterOf({ code, details }: DomainError): number | undefined {
  const known = details?.['retryAfter'];
  return typeof known === 'number' ? known : retryAfter[code];
}
