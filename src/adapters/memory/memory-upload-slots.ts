import {
  admit,
  replaced,
  type Sender,
  type UploadSlot,
  type UploadSlots,
} from '../../core/imports/receive/upload-slots.js';
import type { DomainError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';

interface OpenSlot extends Sender {
  readonly ending: Ending;
}

/** The uploads of this process, in memory. */
export class MemoryUploadSlots implements UploadSlots {
  private readonly open = new Set<OpenSlot>();

  take(sender: Sender): UploadSlot {
    const { replaced: older, refusal } = admit([...this.open], sender);
    this.end(older);
    if (refusal !== null) throw refusal;
    const ending = new Ending();
    const slot: OpenSlot = { ...sender, ending };
    this.open.add(slot);
    return { guarded: (bytes) => untilEnded(bytes, ending), close: () => void this.open.delete(slot) };
  }

  interrupt(itemId: Id): void {
    this.end([...this.open].filter((older) => older.itemId === itemId && older.isResumable));
  }

  get pendingBytes(): number {
    return sum([...this.open]);
  }

  unreservedBytes(customerId: Id): number {
    return sum([...this.open].filter((slot) => slot.customerId === customerId && slot.itemId === null));
  }

  private end(slots: readonly OpenSlot[]): void {
    for (const slot of slots) {
      this.open.delete(slot);
      slot.ending.end(replaced());
    }
  }
}

function sum(slots: readonly Sender[]): number {
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
