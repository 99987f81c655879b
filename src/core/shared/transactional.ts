import type { Id } from './ids.js';

/**
 * The data of one customer that can be read: repositories in their reading form, by name. Each concept adds its own, beside their ports
 * (`declare module '../shared/transactional.js'`), so that this file imports none of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the concepts declare its members.
export interface Reads {}

/** The same inside a transaction: the repositories of one customer, by name. */
// biome-ignore lint/suspicious/noEmptyInterface: the concepts declare its members.
export interface Repositories {}

/** These repositories in their reading form: `Reader<'photos' | 'tags'>`. */
export type Reader<Names extends keyof Reads> = Pick<Reads, Names>;

/** These repositories inside a transaction. Helpers below a use case name those that they touch: `Transaction<'photos' | 'outbox'>`. */
export type Transaction<Names extends keyof Repositories> = Pick<Repositories, Names>;

/** The boundary between customers, for reading only. Rows of other customers do not exist inside. */
export interface Readable<Names extends keyof Reads> {
  /** Without a transaction: each read sees what is committed when it runs. */
  query<T>(customerId: Id, work: (reader: Reader<Names>) => Promise<T>): Promise<T>;
}

/**
 * The boundary between customers, and the transaction. A use case names the repositories that it may touch, and the compiler refuses it any
 * other: `{ store: Transactional<'photos' | 'outbox'> }`. The store of an adapter, which has all of them, satisfies every choice.
 */
export interface Transactional<Names extends keyof Repositories> extends Readable<Names & keyof Reads> {
  /**
   * All or nothing: when `work` throws, nothing is changed and the error is rethrown. When it resolves, the change survives a power
   * failure. It sees what others have committed, and may be run again from its beginning (three times at most) when the database found a
   * conflict with another transaction: so it must have no effect except through its argument. Errors: `service_unavailable` when the
   * database is not available in time.
   */
  transaction<T>(customerId: Id, work: (transaction: Transaction<Names>) => Promise<T>): Promise<T>;
}

/** Checks a locked resource and throws (`precondition_failed`) when the caller has seen a different state of it. */
export type Precondition<T> = (current: T) => void;

export function unconditional(): void {}
