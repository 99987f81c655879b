import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { QuotaReservation } from '../customers/quota.js';
import { DomainError, type ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transaction } from '../shared/transactional.js';
import { lockTags } from '../tags/lock-tags.js';
import { resolveTags } from '../tags/resolve-tags.js';
import type { Import } from './import.js';
import { type ImportPhoto, newUploadId, quotaUseOf } from './import-photo.js';
import { type Candidate, newItem } from './registration.js';
import { RegistrationIndex } from './registration-index.js';
import { requestInspection } from './request-inspection.js';
import { requireStagedBytes } from './require-staged-bytes.js';
import { type ReuseTerms, reuseItem } from './reuse-item.js';
import { newFetches, type SourceFetch } from './source-fetch.js';

/** The outcome of one candidate; its position in the request is given beside it. */
export type RegistrationOutcome =
  | { readonly outcome: 'created' | 'existing' | 'duplicate'; readonly item: ImportPhoto }
  | { readonly outcome: 'rejected'; readonly error: ItemError };

export type CandidateOutcome = { readonly index: number } & RegistrationOutcome;

/**
 * Registers candidates in a locked, open import: known ones are found again by clientRef (or by hash and name), bytes that the library or
 * the import has are `duplicate`, the rest become new items, or are `rejected` when they exceed the customer's quota. Errors:
 * `limit_reached`, and those of resolving tags.
 */
export async function registerCandidates(
  transaction: Transaction<
    'photos' | 'tags' | 'importPhotos' | 'sourceFetches' | 'customer' | 'blobOwners' | 'jobs' | 'outbox'
  >,
  caller: Caller,
  subject: Import,
  candidates: readonly Candidate[],
  { limits, quota, secrets, at }: { limits: Limits; quota: QuotaReservation; secrets: Secrets; at: Date },
): Promise<readonly CandidateOutcome[]> {
  // It locks items and photos, and both come before tags: the order of all locks.
  const knownItems = await RegistrationIndex.load(transaction, subject, candidates);
  const inputs = candidates.map(({ input }) => input);
  await lockTags(transaction.tags, inputs);
  await requireStagedBytes(
    transaction,
    subject.id,
    candidates.flatMap(({ staged }) => staged?.uploadId ?? []),
  );
  const ids = await knownItems.newIds(candidates);
  const outcomes: CandidateOutcome[] = [];
  const fetches: SourceFetch[] = [];
  for (const candidate of candidates) {
    const { index, input } = candidate;
    const naming = { limits, at, prefix: `photos[${index}].`, beside: subject.tagIds };
    const fetchesOf: ReuseTerms['fetchesOf'] = (item) => newFetches(secrets, caller, item, input);
    const terms = { tags: () => resolveTags(transaction, caller, input, naming), quota, at, fetchesOf };
    const known = knownItems.find(input);
    const outcome = known
      ? await reuseItem(transaction, candidate, known, terms)
      : await registerNew(knownItems, subject, candidate, ids, terms);
    if (outcome.outcome !== 'rejected') knownItems.add(outcome.item);
    outcomes.push({ index, ...outcome });
    if (outcome.outcome === 'created') fetches.push(...fetchesOf(outcome.item));
  }
  await insertNew(transaction, subject, outcomes, limits);
  await transaction.sourceFetches.put(fetches);
  return outcomes;
}

async function registerNew(
  known: RegistrationIndex,
  subject: Import,
  candidate: Candidate,
  ids: Id[],
  { tags, quota, at }: ReuseTerms,
): Promise<RegistrationOutcome> {
  const id = candidate.staged?.id ?? ids.shift();
  if (id === undefined) throw new Error('fewer ids than new items');
  const uploadId = candidate.staged?.uploadId ?? newUploadId();
  const placed = known.withFirstStatus(newItem(subject, { id, uploadId }, candidate.input, at), candidate);
  const error = quota.tryReserve(quotaUseOf(placed));
  if (error !== null) return { outcome: 'rejected', error };
  const item = { ...placed, tagIds: await tags() };
  return { outcome: item.status === 'duplicate' ? 'duplicate' : 'created', item };
}

async function insertNew(
  transaction: Transaction<'importPhotos' | 'jobs'>,
  subject: Import,
  outcomes: readonly RegistrationOutcome[],
  { importMaxPhotos: limit }: Limits,
): Promise<void> {
  const items = outcomes.flatMap((each) =>
    each.outcome === 'created' || each.outcome === 'duplicate' ? [each.item] : [],
  );
  if ((await transaction.importPhotos.count(subject.id)) + items.length > limit) {
    const message = `An import has at most ${limit} items. Finalize it and open another.`;
    throw new DomainError('limit_reached', message, { limit, name: 'importMaxPhotos' });
  }
  await transaction.importPhotos.insert(items);
  for (const item of items) await requestInspection(transaction, item);
}
