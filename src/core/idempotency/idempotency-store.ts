import type { Id } from '../shared/ids.js';

/** The key that a client gave one write, so that the write can be repeated without a second effect (API.md §4.6). */
export interface IdempotencyKey {
  readonly customerId: Id;
  /** 1 to 255 visible ASCII characters. */
  readonly key: string;
}

/** The right of one run to answer under a key. It is lost when another run takes the key over. */
export interface Claim extends IdempotencyKey {
  /** Proves whose run it is. */
  readonly token: string;
}

/** An answer as whoever keeps it wants it back: a JSON object, free of secrets. */
export type StoredResponse = Readonly<Record<string, unknown>>;

export interface ClaimRequest extends Claim {
  /** Equal for equal requests only. */
  readonly fingerprint: string;
  readonly at: Date;
  /** How long the claim stands without being renewed. */
  readonly leaseSeconds: number;
  /** A record that began before this is as good as none. */
  readonly expiredBefore: Date;
}

export type ClaimResult =
  /** The key is this attempt's now. */
  | { readonly outcome: 'claimed' }
  /** An equal request is being worked on. */
  | { readonly outcome: 'running' }
  /** An equal request has been answered. */
  | { readonly outcome: 'answered'; readonly answer: StoredResponse }
  /** The key belongs to another request, answered or not. */
  | { readonly outcome: 'taken' };

/** Who works under which key, and what was answered. A claim is a lease by the clock of the database. */
export interface IdempotencyStore {
  /**
   * Claims a key that is free, forgotten, or claimed by an equal request whose lease has run out; exactly one of any number of
   * callers gets it. Waits while the answer of another run is being committed, and then tells of it. Errors: `service_unavailable`.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /**
   * Extends the leases of these claims to `leaseSeconds` from now, those too that have run out and were not taken over. A claim that was
   * lost, released or answered stays as it is.
   */
  renew(claims: readonly Claim[], leaseSeconds: number): Promise<void>;
  /**
   * Shows other processes that this one lives, until the returned function is called or the process dies. Does not fail: while it
   * cannot be shown, it is tried again.
   */
  showAlive(): Promise<() => Promise<void>>;
  /**
   * Ends the leases of claims that began after `begunAfter` and whose process is known to be dead, so that nobody waits until they run
   * out. Asked when a process starts. The claims of a process that lives, or might, are left alone.
   */
  reclaim(begunAfter: Date): Promise<void>;
  /** Frees the key without an answer. Nothing happens when an answer is kept, or the claim was lost. */
  release(claim: Claim): Promise<void>;
  /** Removes at most `limit` records that began before `before`, and answers how many. */
  sweep(before: Date, limit: number): Promise<number>;
}

/** The other side, inside a transaction: the answer is kept if and only if the work that it tells of is done. */
export interface ResponseStore {
  /** False, and nothing kept, when the claim was lost or has its answer already: then this run must leave no effect. */
  store(claim: Claim, answer: StoredResponse): Promise<boolean>;
}
