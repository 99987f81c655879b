import type { Id } from '../shared/ids.js';

/** Visible ASCII characters. */
export const MAX_IDEMPOTENCY_KEY = 255;

/** The key that a client gave a write, so that the write can be repeated without a second effect. */
export interface IdempotencyKey {
  readonly customerId: Id;
  /** 1 to `MAX_IDEMPOTENCY_KEY` visible ASCII characters. */
  readonly key: string;
}

/** The right of one run to store the response of a key. It is lost when another run takes over the key. */
export interface Claim extends IdempotencyKey {
  /** Proves which run holds the claim. */
  readonly token: string;
}

/** A response in the form chosen by the caller: a JSON object, free of secrets. */
export type StoredResponse = Readonly<Record<string, unknown>>;

export interface ClaimRequest extends Claim {
  /** Equal for equal requests only. */
  readonly fingerprint: string;
  readonly at: Date;
  /** Period for which the claim is valid without being renewed. */
  readonly leaseSeconds: number;
  /** A record that began before this is ignored. */
  readonly expiredBefore: Date;
}

export type ClaimResult =
  /** The key now belongs to this run. */
  | { readonly outcome: 'claimed' }
  /** An equal request is being executed. */
  | { readonly outcome: 'running' }
  /** An equal request has been answered. */
  | { readonly outcome: 'answered'; readonly answer: StoredResponse }
  /** The key belongs to another request, answered or not. */
  | { readonly outcome: 'taken' };

/** Which run holds which key, and the stored responses. A claim is a lease by the clock of the database. */
export interface IdempotencyStore {
  /**
   * Claims a key that is free, expired, or claimed by an equal request whose lease has run out; exactly one of any number of callers gets
   * it. Waits while the response of another run is being committed, and then returns it. Errors: `service_unavailable`.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /**
   * Extends the leases of these claims to `leaseSeconds` from now, including those that have run out and were not taken over. A claim that
   * was lost, released or answered stays as it is.
   */
  renew(claims: readonly Claim[], leaseSeconds: number): Promise<void>;
  /**
   * Shows other processes that this one is alive, until the returned function is called or the process dies. Does not fail: if it cannot be
   * shown, it is retried.
   */
  showAlive(): Promise<() => Promise<void>>;
  /**
   * Ends the leases of claims that began after `begunAfter` and whose process is known to be dead, so that no request waits until they run out.
   * Called when a process starts. The claims of a process that is, or may be, alive are left alone.
   */
  reclaim(begunAfter: Date): Promise<void>;
  /** Releases the key without a response. Does nothing if a response is stored, or the claim was lost. */
  release(claim: Claim): Promise<void>;
  /** Removes at most `limit` records that began before `before`, and returns how many. */
  sweep(before: Date, limit: number): Promise<number>;
}

/** The part inside a transaction: the response is stored if and only if the work that it describes is committed. */
export interface ResponseStore {
  /** False, with nothing stored, when the claim was lost or already has its response: then this run must have no effect. */
  store(claim: Claim, answer: StoredResponse): Promise<boolean>;
}

/** Stores the response to a result in the transaction that brought it about, which it ends by its error when another run has taken over. */
export type StoreResponse<Result> = (result: Result, responses: ResponseStore) => Promise<void>;

declare module '../shared/transactional.js' {
  interface Repositories {
    readonly responses: ResponseStore;
  }
}
