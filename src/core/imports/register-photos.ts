import type { Caller } from '../access/caller.js';
import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { registerAll } from './register-all.js';
import { type CandidateOutcome } from './register-candidates.js';
import { type RegisterUses } from './register-uses.js';
import { type Candidate, type Registration, registrationError } from './registration.js';
import { type RegistrationResults } from './registration-results.js';
import type { SourceReader } from './source-reader.js';

/**
 * Registers a batch of files. A file with invalid values is `rejected`, and the others continue. Errors: `not_found`, `import_not_open`,
 * `limit_reached`, `invalid_request` (`unknown_tag`), `scope_required`, `no_photos_accepted`, `quota_exceeded`.
 */
export function registerPhotos(
  uses: RegisterUses & { sourceReader: Pick<SourceReader, 'problem'> },
  caller: Caller,
  importId: Id,
  registrations: readonly Registration[],
): Promise<RegistrationResults> {
  const rejected: CandidateOutcome[] = [];
  const candidates: Candidate[] = [];
  for (const [index, input] of registrations.entries()) {
    const error = registrationError(input, uses.limits) ?? sourceError(uses, input);
    if (error === null) candidates.push({ index, input, staged: null });
    else rejected.push({ index, outcome: 'rejected', error });
  }
  return registerAll(uses, caller, importId, candidates, rejected);
}

function sourceError(
  { sourceReader }: { sourceReader: Pick<SourceReader, 'problem'> },
  { sourceUrl }: Registration,
): ItemError | null {
  const problem = sourceUrl ? sourceReader.problem(sourceUrl) : null;
  return problem === null ? null : { code: 'invalid_request', message: problem };
}
