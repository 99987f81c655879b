import { DomainError, type ItemError } from '../shared/errors.js';
import type { Reader } from '../shared/transactional.js';
import { type ImportDetails, type ItemDetails, itemDetailsOf } from './import-details.js';
import type { CandidateOutcome } from './register-candidates.js';

/** The outcome of one file, in the order of the request. */
export interface RegistrationResult {
  readonly index: number;
  readonly outcome: 'created' | 'existing' | 'duplicate' | 'rejected';
  readonly photo: ItemDetails | null;
  readonly error: ItemError | null;
}

export interface RegistrationResults {
  readonly results: readonly RegistrationResult[];
  readonly import: ImportDetails;
}

export async function resultsOf(
  transaction: Reader<'tags'>,
  outcomes: readonly CandidateOutcome[],
): Promise<RegistrationResult[]> {
  const items = outcomes.flatMap((outcome) => (outcome.outcome === 'rejected' ? [] : [outcome.item]));
  const details = new Map((await itemDetailsOf(transaction.tags, items)).map((item) => [item.id, item]));
  return outcomes.map((outcome) =>
    outcome.outcome === 'rejected'
      ? { index: outcome.index, outcome: 'rejected', photo: null, error: outcome.error }
      : { index: outcome.index, outcome: outcome.outcome, photo: details.get(outcome.item.id) ?? null, error: null },
  );
}

export function noneAccepted(results: readonly RegistrationResult[]): DomainError {
  return new DomainError(
    'no_photos_accepted',
    'Every photo was rejected and nothing was created. See details.results.',
    {
      results,
    },
  );
}
