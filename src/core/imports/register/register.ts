import { randomUUID } from 'node:crypto';
import type { Caller } from '../../access/caller.js';
import type { Limits } from '../../customers/limits.js';
import { QuotaReservation } from '../../customers/quota.js';
import { cleanFilename } from '../../photos/photo.js';
import { DomainError, type ItemError, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Transaction, Transactional } from '../../shared/transactional.js';
import { lockForNewTags, lockTags, resolveTags } from '../../tags/resolve-tags.js';
import {
  type Candidate,
  clientValues,
  newItem,
  normalSha256,
  type Registration,
  registrationError,
} from '../candidate.js';
import { newFetches, type SourceFetch, startFetches } from '../fetch/source-fetch.js';
import type { SourceReader } from '../fetch/source-reader.js';
import { type Import, requireOpen, touch } from '../import.js';
import {
  type ImportPhoto,
  newUploadId,
  quotaUseOf,
  requestInspection,
  retry,
  saveAndRequestInspection,
} from '../import-photo.js';
import { inLibrary } from '../publish.js';
import { type ImportDetails, type ItemDetails, importDetailsOf, itemDetailsOf, withUploadTargets } from '../read.js';
import { requireStagedBytes } from '../receive/upload.js';
import type { TargetUses } from '../target.js';

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
    const problem = input.sourceUrl ? uses.sourceReader.problem(input.sourceUrl) : null;
    const sourceError = problem === null ? null : ({ code: 'invalid_request', message: problem } as const);
    const error = registrationError(input, uses.limits) ?? sourceError;
    if (error === null) candidates.push({ index, input, staged: null });
    else rejected.push({ index, outcome: 'rejected', error });
  }
  return registerAll(uses, caller, importId, candidates, rejected);
}

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
    const { limits, secrets } = uses;
    const terms = { limits, quota, secrets, at };
    const outcome = await registerCandidates(transaction, caller, subject, candidates, terms);
    const outcomes = [...outcome, ...rejected].sort((a, b) => a.index - b.index);
    const registered = outcomes.flatMap((each) => (each.outcome === 'rejected' ? [] : [each.item]));
    const details = new Map((await itemDetailsOf(transaction.tags, registered)).map((item) => [item.id, item]));
    const results = outcomes.map(
      (each): RegistrationResult =>
        each.outcome === 'rejected'
          ? { index: each.index, outcome: 'rejected', photo: null, error: each.error }
          : { index: each.index, outcome: each.outcome, photo: details.get(each.item.id) ?? null, error: null },
    );
    if (results.every(({ error }) => error?.code === 'quota_exceeded')) throw quota.exceededError();
    if (results.every((result) => result.outcome === 'rejected')) {
      const message = 'Every photo was rejected and nothing was created. See details.results.';
      throw new DomainError('no_photos_accepted', message, { results });
    }
    await transaction.imports.update(touch(subject, at));
    const counted = requireFound(await transaction.imports.get(importId), 'import');
    return { results, import: await importDetailsOf(transaction.tags, counted) };
  });
  const items = answer.results.flatMap(({ photo }) => photo ?? []);
  const targeted = new Map((await withUploadTargets(uses, caller, items)).map((item) => [item.id, item]));
  const results = answer.results.map((each) => ({ ...each, photo: targeted.get(each.photo?.id ?? 0) ?? null }));
  return { ...answer, results };
}

export type RegisterUses = TargetUses & {
  store: Transactional<
    | 'photos'
    | 'tags'
    | 'imports'
    | 'importPhotos'
    | 'sourceFetches'
    | 'customer'
    | 'usage'
    | 'blobOwners'
    | 'jobs'
    | 'outbox'
  >;
  limits: Limits;
};

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
async function registerCandidates(
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
  const uploadIds = candidates.flatMap(({ staged }) => staged?.uploadId ?? []);
  await requireStagedBytes(transaction, subject.id, uploadIds);
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
  const items = outcomes.flatMap((each) =>
    each.outcome === 'created' || each.outcome === 'duplicate' ? [each.item] : [],
  );
  const { importMaxPhotos: limit } = limits;
  if ((await transaction.importPhotos.count(subject.id)) + items.length > limit) {
    const message = `An import has at most ${limit} items. Finalize it and open another.`;
    throw new DomainError('limit_reached', message, { limit, name: 'importMaxPhotos' });
  }
  await transaction.importPhotos.insert(items);
  for (const item of items) await requestInspection(transaction, item);
  await startFetches(transaction, fetches);
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

interface ReuseTerms {
  readonly tags: () => Promise<readonly Id[]>;
  readonly quota: QuotaReservation;
  readonly at: Date;
  /** Returns the fetches to store for the item: none, unless it is `fetching`. */
  readonly fetchesOf: (item: ImportPhoto) => readonly SourceFetch[];
}

/**
 * The client refers to an existing item, which is locked or of this very request: unchanged or, if it has failed, with the new values and
 * waiting for bytes again.
 */
async function reuseItem(
  transaction: Transaction<'importPhotos' | 'sourceFetches' | 'jobs'>,
  { input, staged }: Candidate,
  known: ImportPhoto,
  { tags, quota, at, fetchesOf }: ReuseTerms,
): Promise<{ outcome: 'existing'; item: ImportPhoto } | { outcome: 'rejected'; error: ItemError }> {
  const sha256 = input.sha256 ? normalSha256(input.sha256) : null;
  const hasOtherSize = input.sourceUrl ? false : input.sizeBytes !== known.sizeBytes;
  const differs = (sha256 !== null && known.sha256 !== null && sha256 !== known.sha256) || hasOtherSize;
  if (known.status === 'failed') {
    const status = input.sourceUrl ? 'fetching' : 'awaiting_upload';
    const again = { ...retry(known, randomUUID(), at, status), sizeBytes: input.sizeBytes ?? null, sha256 };
    const error = quota.tryReserve(quotaUseOf(again));
    if (error !== null) return { outcome: 'rejected', error };
    const item = withStagedBytes({ ...again, ...clientValues(input, await tags()) }, staged, at);
    await saveAndRequestInspection(transaction, item);
    await startFetches(transaction, fetchesOf(item));
    return { outcome: 'existing', item };
  }
  if (differs) {
    const message = `clientRef ${known.clientRef ?? ''} is registered with a different sha256 or sizeBytes. Use another clientRef.`;
    return { outcome: 'rejected', error: { code: 'client_ref_conflict', message } };
  }
  const item = known.status === 'awaiting_upload' ? withStagedBytes(known, staged, at) : known;
  if (item !== known) await saveAndRequestInspection(transaction, item);
  return { outcome: 'existing', item };
}

/** Bytes that arrived with this request invalidate the old upload targets of the item: it takes their upload id. */
function withStagedBytes(item: ImportPhoto, staged: Candidate['staged'], at: Date): ImportPhoto {
  if (staged === null || staged.id !== item.id) return item;
  return { ...item, status: 'processing', uploadId: staged.uploadId, updatedAt: at };
}

/** The items and photos that the import and the library have for the hashes and clientRefs of one request. */
class RegistrationIndex {
  private readonly byClientRef: Map<string, ImportPhoto>;
  private readonly bySha256: Map<string, ImportPhoto>;

  private constructor(
    private readonly transaction: Transaction<'photos' | 'importPhotos'>,
    private readonly subject: Import,
    named: readonly ImportPhoto[],
    private earlier: readonly ImportPhoto[],
    private readonly library: ReadonlyMap<string, Id>,
  ) {
    const live = earlier.filter((item) => item.status !== 'failed' && item.status !== 'duplicate');
    this.byClientRef = new Map(named.flatMap((item) => (item.clientRef === null ? [] : [[item.clientRef, item]])));
    this.bySha256 = new Map(live.map((item) => [item.sha256 ?? '', item]));
  }

  /** The items that the candidates refer to are locked, and so are the photos of the trash that they rely on. */
  static async load(
    transaction: Transaction<'photos' | 'importPhotos'>,
    subject: Import,
    candidates: readonly Candidate[],
  ): Promise<RegistrationIndex> {
    const refs = candidates.flatMap(({ input }) => input.clientRef || []);
    const declared = candidates.flatMap(({ input }) => (input.sha256 ? (normalSha256(input.sha256) ?? []) : []));
    const hashes = [...new Set(declared)];
    const named = await transaction.importPhotos.findByClientRefs(subject.id, [...new Set(refs)]);
    const same = await transaction.importPhotos.findBySha256(subject.id, hashes);
    const seen = new RegistrationIndex(transaction, subject, named, same, new Map());
    // Items before photos, each by id ascending: the order of all locks.
    const ids = [...new Set(candidates.flatMap(({ input }) => seen.find(input)?.id ?? []))];
    const items = ids.length === 0 ? [] : await transaction.importPhotos.lockMany(subject.id, ids);
    const locked = new Map(items.map((item) => [item.id, item]));
    const photos = subject.duplicatePolicy === 'skip' ? await inLibrary(transaction, hashes) : [];
    const current = (item: ImportPhoto) => locked.get(item.id) ?? item;
    const library = new Map(photos.map((photo) => [photo.sha256, photo.id]));
    return new RegistrationIndex(transaction, subject, named.map(current), same.map(current), library);
  }

  newIds(candidates: readonly Candidate[]): Promise<Id[]> {
    const count = candidates.filter((candidate) => candidate.staged === null && !this.find(candidate.input)).length;
    return count === 0 ? Promise.resolve([]) : this.transaction.importPhotos.allocateIds(count).then((ids) => [...ids]);
  }

  /**
   * The item that the client refers to: the one with this clientRef or, if there is none, with this hash and name from an earlier request.
   */
  find(input: Registration): ImportPhoto | undefined {
    if (input.clientRef) return this.byClientRef.get(input.clientRef);
    const sha256 = input.sha256 ? normalSha256(input.sha256) : null;
    const filename = cleanFilename(input.filename);
    return this.earlier.find((item) => item.clientRef === null && item.sha256 === sha256 && item.filename === filename);
  }

  /** Adds the item as it is now, for later files of the request to find. */
  add(item: ImportPhoto): void {
    if (item.clientRef !== null) this.byClientRef.set(item.clientRef, item);
    const bringsBytes = ['awaiting_upload', 'fetching', 'processing'].includes(item.status);
    if (item.sha256 !== null && bringsBytes) this.bySha256.set(item.sha256, item);
    this.earlier = this.earlier.map((other) => (other.id === item.id ? item : other));
  }

  /**
   * A new item in its first state. A duplicate of what the library or the import has by then; what arrives later is found to be one when it is
   * inspected (`withResult`, inspect.ts) or published (`publishItem`, publish.ts).
   */
  withFirstStatus(item: ImportPhoto, { staged }: Candidate): ImportPhoto {
    const photoId = this.library.get(item.sha256 ?? '');
    if (photoId !== undefined) return { ...item, status: 'duplicate', photoId };
    const first = this.subject.duplicatePolicy === 'skip' ? this.bySha256.get(item.sha256 ?? '') : undefined;
    if (first !== undefined) return { ...item, status: 'duplicate', duplicateOfItemId: first.id };
    return staged === null ? item : { ...item, status: 'processing' };
  }
}
