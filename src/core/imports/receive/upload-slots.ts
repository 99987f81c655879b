import type { BlobStore, DiskSpace } from '../../blobs/blob-store.js';
import { DomainError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';

/** Maximum number of uploads that one process receives at once. */
export const MAX_UPLOADS_PER_KEY = 32;
export const MAX_UPLOADS_PER_CUSTOMER = 64;

/** Who sends, and what. */
interface Sender {
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
  /** Its bytes; they end with `upload_in_progress` when a newer upload replaces it. */
  guarded(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  close(): void;
}

interface OpenSlot extends Sender {
  readonly end: (error: DomainError) => void;
}

/** The uploads that this process is receiving: one per item, and a limited number per key and customer. */
export class UploadSlots {
  private readonly open = new Set<OpenSlot>();

  /** @param minFreeBytes Free bytes on the disk of blobs below which nothing is received; null: 1 GiB or 5 % of it, whichever is less. */
  constructor(readonly minFreeBytes: number | null = null) {}

  /**
   * A slot, which must be closed. An older upload to the same item ends, unless both are resumable. Errors: `rate_limited`,
   * `upload_in_progress`.
   */
  take(sender: Sender): UploadSlot {
    const { customerId, apiKeyId, itemId } = sender;
    const isOfItem = (older: OpenSlot) => itemId !== null && older.itemId === itemId;
    if (sender.isResumable && [...this.open].some((older) => isOfItem(older) && older.isResumable)) throw inProgress();
    this.end(isOfItem);
    this.requireFewer(MAX_UPLOADS_PER_CUSTOMER, 'this account', (slot) => slot.customerId === customerId);
    if (apiKeyId !== null) this.requireFewer(MAX_UPLOADS_PER_KEY, 'this key', (slot) => slot.apiKeyId === apiKeyId);
    const ending = new Ending();
    const slot: OpenSlot = { ...sender, end: (error) => ending.end(error) };
    this.open.add(slot);
    return { guarded: (bytes) => untilEnded(bytes, ending), close: () => void this.open.delete(slot) };
  }

  /** Ends the resumable upload to the item: its sender wants to go on over another connection. */
  interrupt(itemId: Id): void {
    this.end((older) => older.itemId === itemId && older.isResumable === true);
  }

  /** Bytes that may still arrive in this process. */
  get pendingBytes(): number {
    return sum([...this.open]);
  }

  /** Bytes that requests with several files of one customer may still bring; those of an item are reserved in the quota. */
  unreservedBytes(customerId: Id): number {
    return sum([...this.open].filter((slot) => slot.customerId === customerId && slot.itemId === null));
  }

  private end(which: (slot: OpenSlot) => boolean): void {
    for (const older of this.open) {
      // Its bytes no longer count, although it takes a moment to end.
      if (which(older) && this.open.delete(older)) older.end(replaced());
    }
  }

  private requireFewer(max: number, whose: string, counts: (slot: OpenSlot) => boolean): void {
    if ([...this.open].filter(counts).length < max) return;
    const message = `${max} uploads for ${whose} are in progress. Try again when some have finished.`;
    throw new DomainError('rate_limited', message);
  }
}

function sum(slots: readonly OpenSlot[]): number {
  return slots.reduce((total, { remaining }) => total + Math.max(0, remaining()), 0);
}

/**
 * Ends waiting callers. Not a promise with the lifetime of the upload that is raced against each chunk: that would keep all chunks in
 * memory until the end.
 */
class Ending {
  private error: DomainError | null = null;
  private interrupt: ((error: DomainError) => void) | null = null;

  end(error: DomainError): void {
    this.error = error;
    this.interrupt?.(error);
  }

  /** The result of `work`, unless the end comes first. */
  async unless<T>(work: () => Promise<T>): Promise<T> {
    if (this.error !== null) throw this.error;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.interrupt = reject;
        work().then(resolve, reject);
      });
    } finally {
      this.interrupt = null;
    }
  }
}

async function* untilEnded(bytes: AsyncIterable<Uint8Array>, ending: Ending): AsyncIterable<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      const piece = await ending.unless(() => pieces.next());
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    // Not awaited: a client that sends nothing would block it.
    void pieces.return?.().catch(() => undefined);
  }
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

const GIB = 1024 ** 3;
/** Share of the whole disk, if that is less than a GiB. */
const FLOOR_SHARE = 0.05;

/**
 * Bytes that uploads leave free, so that everything else keeps working.
 * @param minFreeBytes The operator's setting; null for the default.
 */
function floorOf({ totalBytes }: Pick<DiskSpace, 'totalBytes'>, minFreeBytes: number | null): number {
  return minFreeBytes ?? Math.min(GIB, Math.floor(totalBytes * FLOOR_SHARE));
}

/** Errors: `storage_full` if these bytes, and those already in transit, would leave less than the minimum. */
export async function requireDiskSpace(
  { blobs, uploads }: { blobs: BlobStore; uploads: UploadSlots },
  bytes: number,
): Promise<void> {
  const diskSpace = await blobs.diskSpace();
  if (
    diskSpace === null ||
    diskSpace.freeBytes - uploads.pendingBytes - bytes >= floorOf(diskSpace, uploads.minFreeBytes)
  )
    return;
  const message = 'This installation is out of disk space. Try again later, or contact its operator.';
  throw new DomainError('storage_full', message);
}
