import {
  admit,
  replaced,
  type Sender,
  type UploadSlot,
  type UploadSlots,
} from '../../core/imports/receive/upload-slots.js';
import type { Id } from '../../core/shared/ids.js';
import { orAborted } from '../system-clock.js';

interface OpenSlot extends Sender {
  readonly ending: AbortController;
}

export class MemoryUploadSlots implements UploadSlots {
  private readonly open = new Set<OpenSlot>();

  take(sender: Sender): UploadSlot {
    const { replaced: older, refusal } = admit([...this.open], sender);
    this.end(older);
    if (refusal !== null) throw refusal;
    const ending = new AbortController();
    const slot: OpenSlot = { ...sender, ending };
    this.open.add(slot);
    return { guarded: (bytes) => untilAborted(bytes, ending.signal), close: () => void this.open.delete(slot) };
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
      slot.ending.abort(replaced());
    }
  }
}

function sum(slots: readonly Sender[]): number {
  return slots.reduce((total, { remaining }) => total + Math.max(0, remaining()), 0);
}

async function* untilAborted(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      const piece = await orAborted(pieces.next(), signal);
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    // Not awaited: a client that sends nothing would block it.
    void pieces.return?.().catch(() => undefined);
  }
}
