import {
  admit,
  replaced,
  type Sender,
  type UploadSlot,
  type UploadSlots,
} from '../../src/core/imports/receive/upload-slots.js';

/** A promise for each upload, which every read of it races. */
export class PlainUploadSlots implements UploadSlots {
  private open: readonly (Sender & { readonly end: () => void })[] = [];

  take(sender: Sender): UploadSlot {
    const { replaced: older, refusal } = admit(this.open, sender);
    this.close(older);
    if (refusal !== null) throw refusal;
    let end = () => {};
    const ended = new Promise<never>((_, reject) => {
      end = () => reject(replaced());
    });
    ended.catch(() => undefined);
    const slot = { ...sender, end };
    this.open = [...this.open, slot];
    return {
      async *guarded(bytes) {
        const pieces = bytes[Symbol.asyncIterator]();
        try {
          for (;;) {
            const { done, value } = await Promise.race([ended, pieces.next()]);
            if (done) return;
            yield value;
          }
        } finally {
          void pieces.return?.().catch(() => undefined);
        }
      },
      close: () => {
        this.open = this.open.filter((each) => each !== slot);
      },
    };
  }

  interrupt(itemId: number): void {
    this.close(this.open.filter((older) => older.itemId === itemId && older.isResumable));
  }

  get pendingBytes(): number {
    return this.open.reduce((sum, { remaining }) => sum + Math.max(0, remaining()), 0);
  }

  unreservedBytes(customerId: number): number {
    const mine = this.open.filter((slot) => slot.customerId === customerId && slot.itemId === null);
    return mine.reduce((sum, { remaining }) => sum + Math.max(0, remaining()), 0);
  }

  private close(ended: readonly (Sender & { readonly end: () => void })[]): void {
    this.open = this.open.filter((slot) => !ended.includes(slot));
    for (const { end } of ended) end();
  }
}
