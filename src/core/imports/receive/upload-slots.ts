import { DomainError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';

/** Maximum number of uploads that one process receives at once. */
export const MAX_UPLOADS_PER_KEY = 32;
export const MAX_UPLOADS_PER_CUSTOMER = 64;

/** Who sends, and what. */
export interface Sender {
  readonly customerId: Id;
  /** Null for a person. */
  readonly apiKeyId: Id | null;
  /** Null for a request with several files, whose items are not known yet. */
  readonly itemId: Id | null;
  /** Bytes that may still arrive. */
  readonly remaining: () => number;
  /** Whether what has arrived is kept when it ends. */
  readonly isResumable?: boolean;
}

/** One upload while it is being received. */
export interface UploadSlot {
  /** Its bytes; they end with `replaced` as soon as the upload was ended, even if its sender sends nothing. */
  guarded(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  close(): void;
}

/** The uploads that this process is receiving: one per item, and a limited number per key and customer. */
export interface UploadSlots {
  /** A slot, which must be closed. Older uploads end, or it is refused, as `admit` decides. Errors: `rate_limited`, `upload_in_progress`. */
  take(sender: Sender): UploadSlot;
  /** Ends the resumable upload to the item: its sender wants to go on over another connection. */
  interrupt(itemId: Id): void;
  /** Bytes that may still arrive in this process. Those of an upload that was ended do not count, although it takes a moment to end. */
  readonly pendingBytes: number;
  /** Bytes that requests with several files of one customer may still bring; those of an item are reserved in the quota. */
  unreservedBytes(customerId: Id): number;
}

/**
 * Decides what happens to a new upload and to the open ones: those to the same item end, unless both are resumable, and then the new one is
 * refused if its key or customer has too many others. Errors: `upload_in_progress`.
 */
export function admit<Open extends Sender>(
  open: readonly Open[],
  { customerId, apiKeyId, itemId, isResumable }: Sender,
): { readonly replaced: readonly Open[]; readonly refusal: DomainError | null } {
  const replaced = open.filter((older) => itemId !== null && older.itemId === itemId);
  if (isResumable && replaced.some((older) => older.isResumable)) throw inProgress();
  const others = open.filter((older) => !replaced.includes(older));
  const ofCustomer = others.filter((other) => other.customerId === customerId).length;
  const ofKey = others.filter((other) => apiKeyId !== null && other.apiKeyId === apiKeyId).length;
  if (ofCustomer >= MAX_UPLOADS_PER_CUSTOMER)
    return { replaced, refusal: tooMany(MAX_UPLOADS_PER_CUSTOMER, 'this account') };
  return { replaced, refusal: ofKey >= MAX_UPLOADS_PER_KEY ? tooMany(MAX_UPLOADS_PER_KEY, 'this key') : null };
}

function tooMany(max: number, whose: string): DomainError {
  const message = `${max} uploads for ${whose} are in progress. Try again when some have finished.`;
  return new DomainError('rate_limited', message);
}

/** Browsers send a request again by themselves: it must not end the one whose bytes it repeats. */
export function inProgress(): DomainError {
  const message = 'Another request is adding to this upload. Ask for the offset, which ends it, and go on from there.';
  return new DomainError('upload_in_progress', message);
}

export function replaced(): DomainError {
  const message = 'A newer upload to this item has begun; only the newest is received.';
  return new DomainError('upload_in_progress', message);
}
