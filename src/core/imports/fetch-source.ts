import { isExpired } from '../access/api-key.js';
import { DomainError, isOutage } from '../shared/errors.js';
import { unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import { type FetchOutcome, type RecordUses, recordFetch } from './record-fetch.js';
import { requireDiskSpace } from './require-disk-space.js';
import { offsetOf } from './resumable-upload.js';
import type { LeasedFetch } from './source-fetch.js';
import { SourceFailure, type SourceReader } from './source-reader.js';
import { storeSource } from './store-source.js';
import type { StoreSourceUses } from './store-whole-source.js';
import { type StoredSource, takeStoredSource } from './take-stored-source.js';

export type FetchUses = StoreSourceUses & RecordUses & { secrets: Secrets; sourceReader: SourceReader };

/**
 * Makes one try at a leased fetch, and records the result. When it ends because of `stopping`, it is due again at once. An error on our side
 * is recorded, and thrown. May be cut off at any point: then the next try continues with what was stored.
 */
export async function fetchSource(uses: FetchUses, leased: LeasedFetch, stopping: AbortSignal): Promise<FetchOutcome> {
  try {
    await requireKey(uses, leased);
    const stored = await takeStoredSource(uses, leased);
    if (stored !== null) await read(uses, leased, stored, stopping);
    return await recordFetch(uses, leased, null);
  } catch (error) {
    if (stopping.aborted) return recordFetch(uses, leased, 'stopped');
    const outcome = await recordFetch(uses, leased, { error });
    if (isExpected(error)) return outcome;
    throw error;
  }
}

/** The source, the item or another upload is the reason. */
function isExpected(error: unknown): boolean {
  if (error instanceof SourceFailure) return true;
  return error instanceof DomainError && !isOutage(error) && error.code !== 'storage_full';
}

async function read(uses: FetchUses, leased: LeasedFetch, stored: StoredSource, stopping: AbortSignal): Promise<void> {
  const { limits, uploads, sourceReader } = uses;
  const url = unseal(uses.secrets, 'source', leased.url);
  if (url === null) throw new SourceFailure(unreadable, true);
  await requireDiskSpace(uses, 0);
  const { offset, validator } = { offset: offsetOf(stored.upload), validator: leased.validator };
  const from = offset > 0 && validator !== null ? { offset, validator } : null;
  const source = await sourceReader.open({ url, from, maxBytes: limits.maxFileBytes }, stopping);
  try {
    let received = source.offset;
    const remaining = () => (source.sizeBytes ?? limits.maxFileBytes) - received;
    const sender = { customerId: leased.customerId, apiKeyId: null, itemId: leased.itemId, remaining };
    const slot = uploads.take({ ...sender, isResumable: true });
    const counted = onEach(slot.guarded(source.bytes), ({ length }) => {
      received += length;
    });
    await storeSource(uses, leased, stored, source, counted).finally(() => slot.close());
  } finally {
    source.close();
  }
}

async function* onEach(bytes: AsyncIterable<Uint8Array>, note: (chunk: Uint8Array) => void) {
  for await (const chunk of bytes) {
    note(chunk);
    yield chunk;
  }
}

/** A key that was deleted, perhaps because it was stolen, does not go on making requests. */
async function requireKey({ importBatchers, clock }: FetchUses, { apiKeyId }: LeasedFetch): Promise<void> {
  if (apiKeyId === null) return;
  const known = await importBatchers.findKey(apiKeyId);
  if (known === null || isExpired(known.key, clock.now())) throw new SourceFailure(keyEnded, true);
}

const unreadable = {
  code: 'source_unreachable',
  message:
    'sourceUrl can no longer be decrypted: the secret of this installation has changed. Register the file again.',
} as const;

const keyEnded = {
  code: 'source_forbidden',
  message: 'The API key that registered this file has ended before the file was fetched. Register it again.',
} as const;
