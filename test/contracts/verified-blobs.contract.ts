import { createHash } from 'node:crypto';
import { type BlobKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { BlobStore, OpenBlob } from '../../src/core/blobs/blob-store.js';
import type { VerifiedBlobs } from '../../src/core/blobs/verified-blobs.js';
import { bytesOf, collected } from '../support/core-world.js';
import { StoreOfFiles } from '../support/store-of-files.js';
import { present } from '../support/tenant.js';

/** What `VerifiedBlobs` promises. `open` is called for each test. */
export function verifiedBlobsContract(name: string, open: (store: BlobStore) => VerifiedBlobs): void {
  describe(`VerifiedBlobs: ${name}`, () => {
    const key = storedKey('originals/1/a');
    const chunks = [Buffer.from('first '), Buffer.from('second '), Buffer.from('third')];
    const whole = Buffer.concat(chunks);
    const expected = { sizeBytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') };
    const lost = { code: 'service_unavailable', message: /bytes of this photo/ };
    let store: StoreOfFiles;
    let blobs: VerifiedBlobs;
    beforeEach(async () => {
      store = new StoreOfFiles();
      blobs = open(store);
      await store.put(key, bytesOf(...chunks));
    });

    const read = async (opened: Promise<OpenBlob | null>) => Buffer.from(await collected(present(await opened).bytes));
    const rotten = (blob: BlobKey) => {
      store.rotten.add(blob);
      store.touched.set(blob, { fingerprint: `touched ${store.touched.size}`, changedAt: new Date(0) });
    };

    it('opens a blob as often as it is requested, and ranges of it', async () => {
      for (let times = 0; times < 4; times += 1) {
        expect(await read(blobs.open(key, expected))).toEqual(whole);
        expect(await read(blobs.open(key, expected, { isOnce: true }))).toEqual(whole);
        expect(await read(blobs.open(key, expected, { range: { start: 2, end: 8 } }))).toEqual(whole.subarray(2, 9));
        expect(await read(blobs.open(key, null))).toEqual(whole);
        expect(await read(blobs.open(key, null, { range: { start: 1, end: 1 } }))).toEqual(whole.subarray(1, 2));
      }
      expect(present(await blobs.open(key, expected))).toMatchObject({ sizeBytes: whole.length });
      await expect(blobs.open(key, null, { range: { start: 0, end: 99 } })).rejects.toThrow(RangeError);
    });

    it('opens no absent blob, and none of another size', async () => {
      const absent = storedKey('originals/1/b');
      const larger = { ...expected, sizeBytes: expected.sizeBytes + 1 };
      for (const range of [undefined, { start: 0, end: 0 }]) {
        expect(await blobs.open(absent, expected, { range })).toBeNull();
        expect(await blobs.open(absent, null, { range })).toBeNull();
        expect(await blobs.open(key, larger, { range })).toBeNull();
      }
      expect([await blobs.file(absent), await blobs.writtenFile(absent)]).toEqual([null, null]);
    });

    it('withholds the end of bytes that are not the expected ones, and every range of them', async () => {
      await read(blobs.open(key, expected));
      rotten(key);
      let received = 0;
      const reading = async () => {
        for await (const chunk of present(await blobs.open(key, expected)).bytes) received += chunk.length;
      };
      await expect(reading()).rejects.toMatchObject(lost);
      expect(received).toBeLessThan(whole.length);
      await expect(blobs.open(key, expected, { range: { start: 0, end: 0 } })).rejects.toMatchObject(lost);
      expect(await blobs.file(key)).toBeNull();
      expect(await read(blobs.open(key, null))).toHaveLength(whole.length);
    });

    it('lets the bytes of an opened blob be read once', async () => {
      for (let times = 0; times < 3; times += 1) {
        const { bytes } = present(await blobs.open(key, expected));
        await collected(bytes);
        await expect(collected(bytes)).rejects.toThrow('already read');
      }
    });

    it('trusts a blob that it has written until there is another write to it', async () => {
      const written = storedKey('staging/1/2-3-4');
      await blobs.put(written, bytesOf(...chunks));
      expect(await read(blobs.open(written, expected))).toEqual(whole);
      const file = await blobs.writtenFile(written);
      if (file !== null) expect(file).toMatchObject({ sizeBytes: whole.length, path: `/files/${written}` });
      rotten(written);
      expect([await blobs.writtenFile(written), await blobs.file(written)]).toEqual([null, null]);
      const broken = storedKey('staging/1/2-3-5');
      async function* failing() {
        yield present(chunks[0]);
        throw new Error('on purpose');
      }
      await expect(blobs.put(broken, failing())).rejects.toThrow('on purpose');
      expect(await store.head(broken)).toBeNull();
    });
  });
}
