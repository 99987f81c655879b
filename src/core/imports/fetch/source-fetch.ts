import type { Caller } from '../../access/caller.js';
import type { Id } from '../../shared/ids.js';
import { type Secrets, seal } from '../../shared/secrets.js';
import type { ImportPhoto } from '../import-photo.js';
import type { Registration } from '../registration.js';

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
  /** The size that the client has declared. */
  readonly declaredBytes: number | null;
  /** Which version of the file the stored bytes are from, as the source names it; null when none are stored. */
  readonly validator: string | null;
  /** Tries that failed. */
  readonly failures: number;
}

/** A fetch that this process makes; the lease proves it. */
export interface LeasedFetch extends SourceFetch {
  readonly lease: string;
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
      failures: 0,
    },
  ];
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
  /** Due immediately, in place of what their items had. The items, or their imports, must be locked; deleting an item deletes its fetch. */
  put(fetches: readonly SourceFetch[]): Promise<void>;
  /** Stores which version of the file the stored bytes are from. False, with nothing changed, when the lease was lost. */
  setValidator(leased: LeasedFetch, validator: string | null): Promise<boolean>;
  /** Due again after `seconds`, with so many failures. False, with nothing changed, when the lease was lost. */
  release(leased: LeasedFetch, failures: number, seconds: number): Promise<boolean>;
  /** Nothing is fetched any more. False, with nothing changed, when the lease was lost. */
  delete(leased: LeasedFetch): Promise<boolean>;
}

declare module '../../shared/transactional.js' {
  interface Reads {
    readonly sourceFetches: SourceFetchReads;
  }
  interface Repositories {
    readonly sourceFetches: SourceFetchRepository;
  }
}

/** The customers and hosts that a claim skips, because enough is being fetched. */
export interface BusySources {
  readonly customerIds: readonly Id[];
  /** The hosts, each for one customer. */
  readonly hosts: readonly Pick<SourceFetch, 'customerId' | 'host'>[];
}

/** The side of those who fetch: fetches of all customers, in turns, so that one customer's thousands do not delay another's single one. */
export interface FetchQueue {
  /**
   * The next due fetch of an active customer, leased for `leaseSeconds` by the database's clock. Null when nothing is due. No two callers
   * hold one at the same time; one whose lease has expired is due again.
   */
  claim(leaseSeconds: number, busy: BusySources): Promise<LeasedFetch | null>;
  /** Extends the lease. False when it was lost, or the item does not wait for this fetch any more: it must stop. */
  extend(leased: LeasedFetch, leaseSeconds: number): Promise<boolean>;
  /** Calls `wake` soon after a fetch may have become due. Returns the function that stops it. */
  listen(wake: () => void): Promise<() => Promise<void>>;
}
