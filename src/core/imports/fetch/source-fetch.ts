import type { Caller } from '../../access/caller.js';
import type { Job } from '../../jobs/job.js';
import type { Id } from '../../shared/ids.js';
import { type Secrets, seal } from '../../shared/secrets.js';
import type { Transaction } from '../../shared/transactional.js';
import type { Registration } from '../candidate.js';
import type { ImportPhoto } from '../import-photo.js';

/** The task of fetching the bytes of a `fetching` item. It exists no longer than the item has that state. */
export interface SourceFetch {
  readonly customerId: Id;
  readonly itemId: Id;
  readonly importId: Id;
  /** The upload of the item that the bytes are for. When the item gets another one, nothing is fetched for this one. */
  readonly uploadId: number;
  /** The key that registered the item; null for a person. When it ends, nothing is fetched. */
  readonly apiKeyId: Id | null;
  /** Encrypted, because its query may be a secret. */
  readonly url: string;
  /** Its host and port: few files are fetched from one at the same time. */
  readonly host: string;
  readonly declaredBytes: number | null;
  /** Which version of the file the stored bytes are from, as the source names it; null when none are stored. */
  readonly validator: string | null;
}

export interface LeasedFetch extends SourceFetch {
  readonly job: Job<'fetches'>;
}

/** Tries after which an item fails. One that ends because the service stops, or has trouble itself, does not count. */
export const MAX_TRIES = 5;

/** Seconds between tries. */
const RETRY_SECONDS = [5, 30, 120, 600];

/** Seconds that a source can ask for at most. */
const LONGEST_WAIT = 3600;

/** A wait is extended by up to this fraction, so that fetches that failed together are not retried together. */
const JITTER = 0.25;

/** Seconds until the next try after this many failed ones. @param chance From 0 to below 1: the fraction of the jitter. */
export function retrySeconds(failures: number, askedSeconds: number | null, chance: number): number {
  const ours = RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length) - 1] ?? 0;
  const wait = Math.max(ours, Math.min(askedSeconds ?? 0, LONGEST_WAIT));
  return Math.round(wait * (1 + JITTER * chance));
}

/** Returns the fetches to store for an item as it was registered: none, unless it is `fetching`. */
export function newFetches(
  secrets: Secrets,
  { apiKeyId }: Pick<Caller, 'apiKeyId'>,
  { customerId, importId, id: itemId, uploadId, status }: ImportPhoto,
  { sourceUrl, sizeBytes }: Pick<Registration, 'sourceUrl' | 'sizeBytes'>,
): readonly SourceFetch[] {
  if (status !== 'fetching' || !sourceUrl) return [];
  return [
    {
      customerId,
      itemId,
      importId,
      uploadId,
      apiKeyId,
      url: seal(secrets, 'source', sourceUrl),
      host: new URL(sourceUrl).host,
      declaredBytes: sizeBytes ?? null,
      validator: null,
    },
  ];
}

/** Stores fetches in place of what their items had. Due immediately. The items, or their imports, must be locked. */
export async function startFetches(
  { sourceFetches, jobs }: Transaction<'sourceFetches' | 'jobs'>,
  fetches: readonly SourceFetch[],
): Promise<void> {
  await sourceFetches.put(fetches);
  const works = fetches.map(
    ({ importId, itemId, uploadId, host }) => ({ kind: 'fetch', importId, itemId, uploadId, host }) as const,
  );
  await jobs.restart(...works);
}

/** Whether the item waits for this fetch. */
export function isFetched(item: ImportPhoto | null, { uploadId }: Pick<SourceFetch, 'uploadId'>): item is ImportPhoto {
  return item?.status === 'fetching' && item.uploadId === uploadId;
}

/** Fetches of the bound customer. */
export interface SourceFetchReads {
  /** Null when nothing is to be fetched for the item. */
  get(itemId: Id): Promise<SourceFetch | null>;
}

export interface SourceFetchRepository extends SourceFetchReads {
  /** Stores them in place of what their items had. The items, or their imports, must be locked. Deleting an item deletes its fetch, and the job. */
  put(fetches: readonly SourceFetch[]): Promise<void>;
  /** Locks it until the transaction ends. Taken before its job. */
  lock(itemId: Id): Promise<void>;
  /** Stores which version of the file the stored bytes are from. */
  setValidator(itemId: Id, validator: string | null): Promise<void>;
  /** Deletes it, and its job. */
  delete(itemId: Id): Promise<void>;
}

declare module '../../shared/transactional.js' {
  interface Reads {
    readonly sourceFetches: SourceFetchReads;
  }
  interface Repositories {
    readonly sourceFetches: SourceFetchRepository;
  }
}
