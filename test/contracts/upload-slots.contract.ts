import {
  MAX_UPLOADS_PER_CUSTOMER,
  MAX_UPLOADS_PER_KEY,
  type Sender,
  type UploadSlots,
} from '../../src/core/imports/receive/upload-slots.js';
import { bytesOf, collected } from '../support/core-world.js';

/** What `UploadSlots` promises. `open` is called for each test. */
export function uploadSlotsContract(name: string, open: () => UploadSlots): void {
  describe(`UploadSlots: ${name}`, () => {
    let slots: UploadSlots;
    beforeEach(() => {
      slots = open();
    });

    const take = (
      customerId: number,
      apiKeyId: number | null,
      itemId: number | null = null,
      more: Partial<Sender> = {},
    ) => slots.take({ customerId, apiKeyId, itemId, remaining: () => 100, ...more });
    const silent = (returned: () => void = () => undefined): AsyncIterable<Uint8Array> => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          returned();
          return { done: true, value: undefined };
        },
      }),
    });
    const ended = { code: 'upload_in_progress', message: /newer upload/ };

    it('limits the concurrent uploads of one key and of one customer, where a person has no key', () => {
      const first = Array.from({ length: MAX_UPLOADS_PER_KEY }, (_, item) => take(1, 7, item));
      expect(() => take(1, 7)).toThrow(`${MAX_UPLOADS_PER_KEY} uploads for this key`);
      for (let item = MAX_UPLOADS_PER_KEY; item < MAX_UPLOADS_PER_CUSTOMER; item += 1) take(1, null, item);
      expect(() => take(1, 8)).toThrow(`${MAX_UPLOADS_PER_CUSTOMER} uploads for this account`);
      take(2, 9);
      first[0]?.close();
      take(1, 7);
      expect(() => take(1, 7)).toThrow();
    });

    it('replaces the older upload of an item by a newer one, even if no other slot is free', () => {
      for (let item = 0; item < MAX_UPLOADS_PER_KEY; item += 1) take(1, 7, item);
      take(1, 7, 3);
      expect(slots.pendingBytes).toBe(MAX_UPLOADS_PER_KEY * 100);
    });

    it('passes the bytes of an upload on, and ends an older one to the same item even while it waits for bytes', async () => {
      const chunks = [Buffer.from('a'), Buffer.from('b')];
      expect(Buffer.from(await collected(take(1, 7, 1).guarded(bytesOf(...chunks))))).toEqual(Buffer.from('ab'));
      let isReturned = false;
      const older = take(1, 7, 3);
      const reading = collected(older.guarded(silent(() => (isReturned = true))));
      take(1, 8, 3);
      await expect(reading).rejects.toMatchObject(ended);
      expect(isReturned).toBe(true);
      await expect(collected(older.guarded(silent()))).rejects.toMatchObject(ended);
    });

    it('refuses a resumable upload beside another to the item, and ends the first when it is asked to', async () => {
      const first = take(1, 7, 3, { isResumable: true });
      const other = take(1, 7, 4);
      expect(() => take(1, 7, 3, { isResumable: true })).toThrow(
        expect.objectContaining({ code: 'upload_in_progress' }),
      );
      const reading = collected(first.guarded(silent()));
      slots.interrupt(4);
      slots.interrupt(3);
      await expect(reading).rejects.toMatchObject(ended);
      expect(slots.pendingBytes).toBe(100);
      other.close();
      take(1, 7, 3, { isResumable: true });
    });

    it('counts the expected bytes of a customer, with those of requests with several files', () => {
      let remaining = 30;
      const slot = take(1, 7, 3, { remaining: () => remaining });
      take(1, 7, null, { remaining: () => 500 });
      take(2, 8, null, { remaining: () => 1000 });
      expect([slots.pendingBytes, slots.unreservedBytes(1), slots.unreservedBytes(3)]).toEqual([1530, 500, 0]);
      remaining = -5;
      expect(slots.pendingBytes).toBe(1500);
      slot.close();
      expect(slots.pendingBytes).toBe(1500);
    });
  });
}
