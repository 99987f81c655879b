import type { Caller } from '../access/caller.js';
import { QuotaReservation } from '../customers/quota.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { lockForNewTags } from '../tags/lock-tags.js';
import { requireOpen, touch } from './import.js';
import { importDetailsOf, withUploadTargets } from './import-details.js';
import { type CandidateOutcome, registerCandidates } from './register-candidates.js';
import { type RegisterUses } from './register-uses.js';
import { type Candidate } from './registration.js';
import { noneAccepted, type RegistrationResults, resultsOf } from './registration-results.js';

/** The transaction that both ways of adding photos share. */
export async function registerAll(
  uses: RegisterUses,
  caller: Caller,
  importId: Id,
  candidates: readonly Candidate[],
  rejected: readonly CandidateOutcome[],
): Promise<RegistrationResults> {
  const answer = await uses.store.transaction(caller.customerId, async (transaction) => {
    // The customer before the import: the order of all locks.
    const quota = await QuotaReservation.begin(transaction);
    await lockForNewTags(transaction, ...candidates.map(({ input }) => input));
    const subject = requireFound(await transaction.imports.lock(importId), 'import');
    requireOpen(subject);
    const at = uses.clock.now();
    const outcome = await registerCandidates(transaction, caller, subject, candidates, {
      limits: uses.limits,
      quota,
      secrets: uses.secrets,
      at,
    });
    const outcomes = [...outcome, ...rejected].sort((a, b) => a.index - b.index);
    const results = await resultsOf(transaction, outcomes);
    if (results.every(({ error }) => error?.code === 'quota_exceeded')) throw quota.exceededError();
    if (results.every((result) => result.outcome === 'rejected')) throw noneAccepted(results);
    await transaction.imports.update(touch(subject, at));
    const counted = requireFound(await transaction.imports.get(importId), 'import');
    return { results, import: await importDetailsOf(transaction.tags, counted) };
  });
  const items = answer.results.flatMap(({ photo }) => photo ?? []);
  const targeted = new Map((await withUploadTargets(uses, caller, items)).map((item) => [item.id, item]));
  const results = answer.results.map((each) => ({ ...each, photo: targeted.get(each.photo?.id ?? 0) ?? null }));
  return { ...answer, results };
}
