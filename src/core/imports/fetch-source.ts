import { isExpired } from '../access/api-key.js';
import { DomainError, isOutage } from '../shared/errors.js';
import { type ReadSourceUses, readSource } from './read-source.js';
import { type FetchOutcome, type RecordUses, recordFetch } from './record-fetch.js';
import type { LeasedFetch } from './source-fetch.js';
import { SourceFailure } from './source-reader.js';
import { takeStoredSource } from './take-stored-source.js';

export type FetchUses = ReadSourceUses & RecordUses;

/**
 * Makes one try at a leased fetch, and records the result. When it ends because of `stopping`, it is due again at once. An error on our side
 * is recorded, and thrown. May be cut off at any point: then the next try continues with what was stored.
 */
export async function fetchSource(uses: FetchUses, leased: LeasedFetch, stopping: AbortSignal): Promise<FetchOutcome> {
  try {
    await requireKey(uses, leased);
    const stored = await takeStoredSource(uses, leased);
    if (stored !== null) await readSource(uses, leased, stored, stopping);
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

/** A key that was deleted, perhaps because it was stolen, does not go on making requests. */
async function requireKey({ importBatchers, clock }: FetchUses, { apiKeyId }: LeasedFetch): Promise<void> {
  if (apiKeyId === null) return;
  const known = await importBatchers.findKey(apiKeyId);
  if (known === null || isExpired(known.key, clock.now())) throw new SourceFailure(keyEnded, true);
}

const keyEnded = {
  code: 'source_forbidden',
  message: 'The API key that registered this file has ended before the file was fetched. Register it again.',
} as const;
