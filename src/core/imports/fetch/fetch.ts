import { checkedAtEnd, onEach, withMeasure } from '../../blobs/blob-bytes.js';
import type { Limits } from '../../customers/limits.js';
import { QuotaReservation } from '../../customers/quota.js';
import { type Job, randomFraction } from '../../jobs/job.js';
import { type Clock, isExpired } from '../../shared/clock.js';
import { DomainError, type ItemError, isOutage } from '../../shared/errors.js';
import { type Secrets, unseal } from '../../shared/secrets.js';
import type { Readable, Transaction, Transactional } from '../../shared/transactional.js';
import { fileEmpty, tooLarge } from '../candidate.js';
import { failItem, type ImportPhoto, newUploadId, unprocessable } from '../import-photo.js';
import { requestPublishing } from '../publish.js';
import { PartReader } from '../receive/part-reader.js';
import { PART_BYTES, type PartsUses, receiveParts } from '../receive/resumable.js';
import { newResumableUpload, offsetOf, partKeys, type ResumableUpload } from '../receive/resumable-upload.js';
import { type DeclaredBytes, requireDiskSpace, stageUpload } from '../receive/upload.js';
import { replaced } from '../receive/upload-slots.js';
import { isFetched, type LeasedFetch, MAX_TRIES, retrySeconds, type SourceFetch } from './source-fetch.js';
import { type OpenSource, SourceFailure, type SourceReader } from './source-reader.js';

export type FetchUses = ReadSourceUses & RecordUses;

/**
 * Makes one try at a leased fetch, and records the result. When it ends because of `stopping`, it is due again at once. An error on our side
 * is recorded, and thrown. May be cut off at any point: then the next try continues with what was stored.
 */
export async function fetchSource(uses: FetchUses, job: Job<'fetches'>, stopping: AbortSignal): Promise<FetchOutcome> {
  const { itemId, uploadId } = job.work;
  const fetch = await uses.store.query(job.customerId, (reader) => reader.sourceFetches.get(itemId));
  // Another has it, or nothing is left to be fetched: with the fetch, its job is gone.
  if (fetch?.uploadId !== uploadId) return 'received';
  const leased = { ...fetch, job };
  try {
    // A key that was deleted, perhaps because it was stolen, does not go on making requests.
    const known = fetch.apiKeyId === null ? null : await uses.importSteps.findKey(fetch.apiKeyId);
    if (fetch.apiKeyId !== null && (known === null || isExpired(known.key, uses.clock.now()))) {
      const message = 'The API key that registered this file has ended before the file was fetched. Register it again.';
      throw new SourceFailure({ code: 'source_forbidden', message }, true);
    }
    const stored = await takeStoredSource(uses, leased);
    if (stored !== null) await readSource(uses, leased, stored, stopping);
    return await recordFetch(uses, leased, null);
  } catch (error) {
    if (stopping.aborted) return recordFetch(uses, leased, 'stopped');
    const outcome = await recordFetch(uses, leased, { error });
    // The source, the item or another upload is the reason.
    if (error instanceof SourceFailure) return outcome;
    if (error instanceof DomainError && !isOutage(error) && error.code !== 'storage_full') return outcome;
    throw error;
  }
}

/** Whether the item still waits for its fetch. If it does not, a try must stop. */
export async function isFetchAwaited(
  { store }: { store: Readable<'importPhotos'> },
  { customerId, work }: Job<'fetches'>,
): Promise<boolean> {
  const { importId, itemId } = work;
  return isFetched(await store.query(customerId, ({ importPhotos }) => importPhotos.get(importId, itemId)), work);
}

type ReadSourceUses = StoreSourceUses & { secrets: Secrets; sourceReader: SourceReader };

/** Asks the source for what is not stored yet, and stores it as it comes. Errors: `SourceFailure`; those of `storeSource`. */
async function readSource(
  uses: ReadSourceUses,
  leased: LeasedFetch,
  stored: StoredSource,
  stopping: AbortSignal,
): Promise<void> {
  const { limits, uploads, sourceReader } = uses;
  const url = unseal(uses.secrets, 'source', leased.url);
  if (url === null) {
    const message =
      'sourceUrl can no longer be decrypted: the secret of this installation has changed. Register the file again.';
    throw new SourceFailure({ code: 'source_unreachable', message }, true);
  }
  await requireDiskSpace(uses, 0);
  const { customerId, validator } = leased;
  const offset = offsetOf(stored.upload);
  const from = offset > 0 && validator !== null ? { offset, validator } : null;
  const source = await sourceReader.open({ customerId, url, from, maxBytes: limits.maxFileBytes }, stopping);
  try {
    let received = source.offset;
    const remaining = () => (source.sizeBytes ?? limits.maxFileBytes) - received;
    const sender = { customerId, apiKeyId: null, itemId: leased.itemId, remaining };
    const slot = uploads.take({ ...sender, isResumable: true });
    const counted = onEach(slot.guarded(source.bytes), ({ length }) => {
      received += length;
    });
    await storeSource(uses, leased, stored, source, counted).finally(() => slot.close());
  } finally {
    source.close();
  }
}

/** Stores the bytes of an open source, and tells the item when they are all there. Errors: `SourceFailure`, and those of storing. */
async function storeSource(
  uses: StoreSourceUses,
  leased: LeasedFetch,
  { item, upload }: StoredSource,
  source: OpenSource,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { sizeBytes } = source;
  if (sizeBytes !== null) {
    if (sizeBytes === 0) throw new SourceFailure(fileEmpty, true);
    if (sizeBytes > uses.limits.maxFileBytes) throw new SourceFailure(tooLarge(uses.limits), true);
    if (leased.declaredBytes !== null && leased.declaredBytes !== sizeBytes) {
      const message = `${leased.declaredBytes} bytes were declared, but the source has ${sizeBytes}.`;
      throw new SourceFailure({ code: 'size_mismatch', message }, true);
    }
    await reserveSourceBytes(uses, leased, sizeBytes);
  }
  const canContinue = sizeBytes !== null && source.validator !== null && (sizeBytes > PART_BYTES || source.offset > 0);
  // In one piece: it is small, or cannot be continued anyway.
  if (!canContinue) {
    const { customerId, importId, itemId, uploadId, declaredBytes } = leased;
    const declared: DeclaredBytes = { sha256: item.sha256, sizeBytes: sizeBytes ?? declaredBytes };
    const { limits } = uses;
    let [received, allowed] = [0, item.sizeBytes ?? 0];
    const count = async ({ length }: Uint8Array) => {
      received += length;
      if (received > limits.maxFileBytes) throw new SourceFailure(tooLarge(limits), true);
      if (declared.sizeBytes !== null || received <= allowed) return;
      allowed = received + STEP;
      await reserveSourceBytes(uses, leased, allowed);
    };
    const requireBytes = () => {
      if (received === 0) throw new SourceFailure(fileEmpty, true);
    };
    const passing = checkedAtEnd(onEach(bytes, count), requireBytes);
    const measured = withMeasure(passing, declared.sizeBytes ?? limits.maxFileBytes);
    return stageUpload(uses, { customerId, importId, itemId, uploadId, ...declared }, measured.bytes, measured.measure);
  }
  const grant = { ...leased, sha256: item.sha256, sizeBytes, expiresAt: uses.clock.now() };
  const begun = await begin(uses, leased, upload, source);
  const reader = new PartReader(bytes, uses.clock);
  try {
    await receiveParts(uses, { grant, reader, upload: begun }, () => undefined);
  } finally {
    reader.close();
  }
}

/** Drops what is stored of another version of the file. */
async function begin(
  uses: StoreSourceUses,
  leased: LeasedFetch,
  upload: ResumableUpload,
  { offset, validator }: OpenSource,
): Promise<ResumableUpload> {
  const isContinued = offset > 0 && offset === offsetOf(upload);
  const begun = isContinued ? upload : { ...upload, parts: [] };
  await uses.store.transaction(leased.customerId, async ({ importPhotos, resumableUploads, sourceFetches, jobs }) => {
    const item = await importPhotos.lock(leased.importId, leased.itemId);
    await sourceFetches.setValidator(leased.itemId, validator);
    if (!isFetched(item, leased) || !(await jobs.hold(leased.job))) throw replaced();
    await resumableUploads.put(begun);
  });
  if (!isContinued) await uses.blobs.delete(partKeys(upload));
  return begun;
}

type StoreSourceUses = {
  store: Transactional<
    'importPhotos' | 'resumableUploads' | 'sourceFetches' | 'jobs' | 'blobOwners' | 'customer' | 'usage'
  >;
  limits: Limits;
} & ReserveUses &
  PartsUses;

/** The bytes that earlier tries have stored, for this try to continue. */
interface StoredSource {
  readonly item: ImportPhoto;
  /** Without a sender, unless it has parts: no one else adds to it. */
  readonly upload: ResumableUpload;
}

/** Takes over what is stored of the file. Null when the item no longer waits for the fetch. */
function takeStoredSource(
  uses: { store: Transactional<'importPhotos' | 'resumableUploads'>; clock: Clock },
  leased: LeasedFetch,
): Promise<StoredSource | null> {
  const { customerId, importId, itemId } = leased;
  return uses.store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    const item = await importPhotos.lock(importId, itemId);
    if (!isFetched(item, leased)) return null;
    const at = uses.clock.now();
    const known = await resumableUploads.get(itemId);
    const isUsable = known?.uploadId === leased.uploadId && leased.validator !== null;
    const upload = { ...(isUsable ? known : newResumableUpload(item, at)), sender: newUploadId(), updatedAt: at };
    // The process that added to it before is presumed dead, and no longer adds anything.
    if (known !== null) await resumableUploads.put(upload);
    return { item, upload };
  });
}

type ReserveUses = { store: Transactional<'importPhotos' | 'customer' | 'usage'>; clock: Clock };

/** Bytes that are reserved at a time for a file whose size was not stated. */
const STEP = 8 * 1024 ** 2;

/**
 * Lets a fetched item reserve so many bytes of its customer's quota: nothing is stored that is not reserved. Throws `SourceFailure`
 * (`quota_exceeded`); nothing happens when the item no longer waits for the fetch.
 */
function reserveSourceBytes(
  { store, clock }: ReserveUses,
  { customerId, importId, itemId, uploadId }: SourceFetch,
  sizeBytes: number,
): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    // The customer before the item: the order of all locks.
    const quota = await QuotaReservation.begin(transaction);
    const item = await transaction.importPhotos.lock(importId, itemId);
    if (!isFetched(item, { uploadId }) || item.sizeBytes === sizeBytes) return;
    const error = quota.tryReserve({ photos: 0, storageBytes: sizeBytes - (item.sizeBytes ?? 0) });
    if (error !== null) throw new SourceFailure(error, true);
    await transaction.importPhotos.update({ ...item, sizeBytes, updatedAt: clock.now() });
  });
}

/** `received`: the item has its bytes, or no longer needs them. */
export type FetchOutcome = 'received' | 'failed' | 'retried' | 'postponed' | 'stopped';

/** Seconds to wait after trouble on our side. */
const POSTPONED_SECONDS = 30;

/** Records how a try has ended: null when it was successful. If its lease was lost, another try decides, and nothing is recorded. */
async function recordFetch(
  uses: RecordUses,
  leased: LeasedFetch,
  end: { readonly error: unknown } | 'stopped' | null,
): Promise<FetchOutcome> {
  if (end === null) return forget(uses, leased);
  if (end === 'stopped') return release(uses, leased, 'stopped', ({ jobs }) => jobs.postpone(leased.job, 'stopped', 0));
  const { error } = end;
  const code = error instanceof DomainError ? error.code : '';
  // The item was cancelled, or got other bytes.
  if (['import_photo_final', 'upload_forbidden'].includes(code)) return forget(uses, leased);
  // The reason is on our side and passes: such a try is not counted.
  if (isOutage(error) || ['storage_full', 'rate_limited', 'upload_in_progress'].includes(code)) {
    return release(uses, leased, 'postponed', ({ jobs }) => jobs.postpone(leased.job, 'postponed', POSTPONED_SECONDS));
  }
  const failure = failureOf(leased, error);
  const failures = leased.job.failures + 1;
  if (failure.isFinal || failures >= MAX_TRIES) {
    await failFetch(uses, leased, failure.error);
    return 'failed';
  }
  const seconds = retrySeconds(failures, failure.retryAfterSeconds, randomFraction());
  // The code only: a message might contain the URL.
  return release(uses, leased, 'retried', ({ jobs }) => jobs.release(leased.job, failure.error.code, seconds));
}

async function forget({ store }: RecordUses, leased: LeasedFetch): Promise<FetchOutcome> {
  await store.transaction(leased.customerId, (transaction) => drop(transaction, leased));
  return 'received';
}

/** False, with nothing changed, when the lease was lost. */
async function drop(
  { sourceFetches, jobs }: Transaction<'sourceFetches' | 'jobs'>,
  { job, itemId }: LeasedFetch,
): Promise<boolean> {
  await sourceFetches.lock(itemId);
  const isHeld = await jobs.complete(job);
  if (isHeld) await sourceFetches.delete(itemId);
  return isHeld;
}

async function release(
  { store }: RecordUses,
  leased: LeasedFetch,
  outcome: FetchOutcome,
  end: (transaction: Transaction<'jobs'>) => Promise<boolean>,
): Promise<FetchOutcome> {
  await store.transaction(leased.customerId, end);
  return outcome;
}

/** Returns the failure to record for a try, which says whether another can succeed. */
function failureOf({ declaredBytes }: LeasedFetch, error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (!(error instanceof DomainError)) return new SourceFailure(unprocessable, false);
  if (error.code === 'checksum_mismatch') {
    const message = 'The SHA-256 of the fetched bytes is not the declared one.';
    return new SourceFailure({ code: 'checksum_mismatch', message }, true);
  }
  if (declaredBytes !== null) {
    const message = 'The fetched file does not have the declared size.';
    return new SourceFailure({ code: 'size_mismatch', message }, true);
  }
  const message = 'The source did not send as many bytes as it had announced.';
  return new SourceFailure({ code: 'source_unreachable', message }, false);
}

type RecordUses = {
  store: Transactional<'imports' | 'importPhotos' | 'sourceFetches' | 'jobs'>;
  clock: Clock;
};

/** Gives up an item whose source cannot be fetched. An import that waited only for it is published. */
async function failFetch(uses: RecordUses, leased: LeasedFetch, error: ItemError): Promise<void> {
  const { customerId, importId, itemId, declaredBytes } = leased;
  await uses.store.transaction(customerId, async (transaction) => {
    const shared = await transaction.imports.share(importId);
    const item = await transaction.importPhotos.lock(importId, itemId);
    if (!(await drop(transaction, leased)) || !isFetched(item, leased)) return;
    // What was reserved for it is no longer of use.
    await failItem(transaction, { ...item, sizeBytes: declaredBytes }, error, uses.clock.now());
    await requestPublishing(transaction, shared);
  });
}
