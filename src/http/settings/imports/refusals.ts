import type { RegistrationResult } from '../../../core/imports/register/register.js';
import { DomainError, type ItemError } from '../../../core/shared/errors.js';

type Refused = RegistrationResult & { readonly error: ItemError };

export function isRefused(result: RegistrationResult): result is Refused {
  return result.outcome === 'rejected' && result.error !== null;
}

/**
 * For a registration in which every file was refused: for people, who continue with others, that is not an error. Every other error is
 * rethrown.
 */
export function resultsOfNone(error: unknown, count: number): readonly RegistrationResult[] {
  if (!(error instanceof DomainError)) throw error;
  if (error.code === 'no_photos_accepted') return error.details?.['results'] as readonly RegistrationResult[];
  if (error.code !== 'quota_exceeded') throw error;
  const reason: ItemError = { code: 'quota_exceeded', message: error.message };
  return Array.from({ length: count }, (_, index) => ({ index, outcome: 'rejected', photo: null, error: reason }));
}
