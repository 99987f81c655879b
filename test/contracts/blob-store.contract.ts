import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { type BlobKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { BlobStore, ListedBlob } from '../../src/core/blobs/blob-store.js';

export interface OpenStore {
  readonly store: BlobStore;
  close(): Promise<void>;
}

/** Crosses the chunk borders of every store. */
const LARGE = 700_000;

/** Ends what was broken. */
type Mend = () => Promise<void> | void;

export interface BlobStoreContractOptions {
  /** The size of the parts in which the store sends blobs, if it does. Small, so that a blob of the contract has many. */
  readonly partBytes?: number;
  /** Breaks the store that was opened: from then on it cannot be reached, until it is mended. What was stored is there again afterwards. */
  readonly breakStore?: () => Promise<Mend> | Mend;
  /** Makes bodies of the store end after so many bytes, although their blobs have more, until it is mended. */
  readonly truncateBodies?: (after: number) => Promise<Mend> | Mend;
}

/**
 * What `BlobStore` promises, for any store. `open` may give the same store again: every test keeps to keys of its own. Without the options,
 * stores are not tested for what cannot be done to them.
 */
export function blobStoreContract(
  name: string,
  open: () => Promise<OpenStore>,
  { partBytes = 64 * 1024, breakStore, truncateBodies }: BlobStoreContractOptions = {},
): void {
  describe(`BlobStore: ${name}`, () => {
    let opened: OpenStore;
    let store: BlobStore;
    let folder: string;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      folder = `t/${randomUUID()}`;
    });
    afterEach(() => opened.close());

    const key = (path: string): BlobKey => storedKey(`${folder}/${path}`);
    const bytesAt = async (at: BlobKey): Promise<Buffer | null> => {
      const blob = await store.get(at);
      return blob && read(blob.bytes);
    };

    describe('put and get', () => {
      it('returns the bytes that were put, with the size and etag that put and head report', async () => {
        const bytes = randomBytes(LARGE);
        const info = await store.put(key('a'), of(bytes));
        const blob = await store.get(key('a'));
        expect(blob).toMatchObject(info);
        expect(info.sizeBytes).toBe(LARGE);
        expect(await store.head(key('a'))).toEqual(info);
        expect(bytes.equals(await read(blob?.bytes))).toBe(true);
      });

      it('names the file of a blob, if it is one, and another version of it after the next put', async () => {
        expect(await store.file(key('a'))).toBeNull();
        const bytes = randomBytes(LARGE);
        await store.put(key('a'), of(bytes));
        const [file, blob] = [await store.file(key('a')), await store.get(key('a'))];
        await read(blob?.bytes);
        expect(file?.state).toEqual(blob?.state);
        if (file === null) return;
        expect(bytes.equals(await readFile(file.path))).toBe(true);
        await store.put(key('a'), of(bytes));
        expect((await store.file(key('a')))?.state.fingerprint).not.toBe(file.state.fingerprint);
        expect(await store.file(key('a/b'))).toBeNull();
      });

      it('finds no blob that was never put', async () => {
        expect(await store.get(key('a'))).toBeNull();
        expect(await store.get(key('a'), { start: 0, end: 0 })).toBeNull();
        expect(await store.head(key('a'))).toBeNull();
      });

      it('says the same of a blob to those who have seen it lately', async () => {
        const [old, a] = [await store.put(key('a'), of(Buffer.from('old'))), key('a')];
        expect(await store.head(a, true)).toEqual(old);
        const made = await store.put(a, of(Buffer.from('new')));
        expect(await store.head(a, true)).toEqual(made);
        await store.delete([a]);
        expect([await store.head(a, true), await store.head(key('a/b'), true)]).toEqual([null, null]);
      });

      it('does not confuse a blob with the folder above it', async () => {
        await store.put(key('a/b'), of(Buffer.from('x')));
        expect(await store.get(key('a'))).toBeNull();
        expect(await store.head(key('a'))).toBeNull();
        expect(await store.get(key('a/b/c'))).toBeNull();
        expect(await store.head(key('a/b/c'))).toBeNull();
        expect(await store.copy(key('a'), key('copy'), 'any')).toBe(false);
        expect(await listed(`${key('a/b')}/`)).toEqual([]);
      });

      it('stores blobs of no bytes', async () => {
        const info = await store.put(key('a'), of());
        expect(info.sizeBytes).toBe(0);
        expect(await store.head(key('a'))).toEqual(info);
        expect(await bytesAt(key('a'))).toEqual(Buffer.alloc(0));
      });

      it('stores the same bytes whatever chunks they arrive in', async () => {
        const pieces = fc.array(fc.uint8Array({ maxLength: 4000 }), { maxLength: 12 });
        await fc.assert(
          fc.asyncProperty(pieces, async (chunks) => {
            const info = await store.put(key('a'), of(...chunks));
            const whole = Buffer.concat(chunks);
            expect(info.sizeBytes).toBe(whole.length);
            expect(whole.equals((await bytesAt(key('a'))) ?? Buffer.from('absent'))).toBe(true);
          }),
          { numRuns: 30 },
        );
      });

      it('is done with a chunk before it asks for the next, so that a source may reuse its buffer', async () => {
        async function* reusing(): AsyncIterable<Uint8Array> {
          const buffer = new Uint8Array(1000);
          for (let value = 0; value < 50; value += 1) yield buffer.fill(value);
        }
        await store.put(key('a'), reusing());
        const kept = await bytesAt(key('a'));
        expect(kept?.length).toBe(50_000);
        expect(kept?.every((byte, at) => byte === Math.floor(at / 1000))).toBe(true);
      });

      it('is unaffected by what a reader does to the bytes it got', async () => {
        await store.put(key('a'), of(Buffer.from('original')));
        const blob = await store.get(key('a'));
        for await (const chunk of blob?.bytes ?? []) chunk.fill(0);
        expect(String(await bytesAt(key('a')))).toBe('original');
      });

      it('reuses the memory of chunks that were given back, and no other memory', async () => {
        const [one, two] = [randomBytes(LARGE), randomBytes(LARGE)];
        await store.put(key('a'), of(one));
        await store.put(key('b'), of(two));
        const kept: Buffer[] = [];
        const read = async (path: string, giveBack: (number: number) => boolean) => {
          const blob = await store.get(key(path));
          const pieces: Buffer[] = [];
          for await (const piece of blob?.bytes ?? []) {
            pieces.push(Buffer.from(piece));
            if (giveBack(pieces.length)) blob?.release?.(piece);
            else kept.push(piece as Buffer);
          }
          return Buffer.concat(pieces);
        };
        expect(one.equals(await read('a', () => false))).toBe(true);
        for (let times = 0; times < 5; times += 1) {
          expect(two.equals(await read('b', (number) => number % 2 === 0))).toBe(true);
          expect(one.equals(await read('a', () => true))).toBe(true);
        }
        const whole = kept.filter((piece) => one.includes(piece) || two.includes(piece));
        expect(whole).toHaveLength(kept.length);
      });

      it('refuses a second reading of the same bytes instead of giving none', async () => {
        await store.put(key('a'), of(Buffer.from('once')));
        const blob = await store.get(key('a'));
        expect(String(await read(blob?.bytes))).toBe('once');
        await expect(read(blob?.bytes)).rejects.toThrow('already read');
      });

      it('lets a reader stop at any point', async () => {
        await store.put(key('a'), of(randomBytes(LARGE)));
        const never = await store.get(key('a'));
        await never?.bytes[Symbol.asyncIterator]().return?.();
        await expect(read(never?.bytes)).rejects.toThrow('already read');
        const first = await store.get(key('a'));
        for await (const chunk of first?.bytes ?? []) {
          expect(chunk.length).toBeGreaterThan(0);
          break;
        }
        expect((await bytesAt(key('a')))?.length).toBe(LARGE);
      });
    });

    describe('a blob is whole or absent', () => {
      it('throws the error of the source and leaves nothing of the blob', async () => {
        const failure = new Error('the client went away');
        await expect(store.put(key('a'), failing(randomBytes(LARGE), failure))).rejects.toBe(failure);
        expect(await store.head(key('a'))).toBeNull();
        expect(await listed(`${folder}/`)).toEqual([]);
      });

      it('keeps the old blob when the source of the new one throws half way', async () => {
        const old = await store.put(key('a'), of(Buffer.from('old')));
        const failure = new Error('the client went away');
        await expect(store.put(key('a'), failing(randomBytes(LARGE), failure))).rejects.toBe(failure);
        expect(await store.head(key('a'))).toEqual(old);
        expect(String(await bytesAt(key('a')))).toBe('old');
      });

      it('throws what a source throws before its first byte', async () => {
        const failure = new Error('nothing came');
        await expect(store.put(key('a'), failing(new Uint8Array(0), failure))).rejects.toBe(failure);
        expect(await store.head(key('a'))).toBeNull();
      });

      it('shows no blob before it is complete', async () => {
        const old = await store.put(key('a'), of(Buffer.from('old')));
        const half = gate();
        const rest = gate();
        async function* slow(): AsyncIterable<Uint8Array> {
          yield randomBytes(LARGE);
          half.open();
          await rest.opened;
          yield Buffer.from('end');
        }
        const [replacing, making] = [store.put(key('a'), slow()), store.put(key('b'), slow())];
        await half.opened;
        expect(await store.head(key('a'))).toEqual(old);
        expect(String(await bytesAt(key('a')))).toBe('old');
        expect(await store.get(key('b'))).toBeNull();
        expect((await listed(`${folder}/`)).map((blob) => blob.key)).toEqual([key('a')]);
        rest.open();
        expect((await replacing).sizeBytes).toBe(LARGE + 3);
        const made = await making;
        expect(await store.head(key('b'))).toEqual(made);
      });

      it('replaces a blob by one with another etag, also when the bytes are the same', async () => {
        const etags = new Set<string>();
        for (let times = 0; times < 30; times += 1) etags.add((await store.put(key('a'), of(Buffer.from('x')))).etag);
        expect(etags.size).toBe(30);
      });

      it('lets a reader finish the blob it began when that is replaced', async () => {
        const [before, after] = [randomBytes(LARGE), randomBytes(LARGE)];
        await store.put(key('a'), of(before));
        const reader = await begun(await store.get(key('a')));
        await store.put(key('a'), of(after));
        expect(before.equals(await reader.rest())).toBe(true);
        expect(after.equals((await bytesAt(key('a'))) ?? Buffer.alloc(0))).toBe(true);
      });

      it('lets a reader finish the blob it began when that is deleted', async () => {
        const before = randomBytes(LARGE);
        await store.put(key('a'), of(before));
        const reader = await begun(await store.get(key('a')));
        await store.delete([key('a')]);
        expect(await store.get(key('a'))).toBeNull();
        expect(before.equals(await reader.rest())).toBe(true);
      });

      it('leaves one complete blob of twenty that are put to one key at once', async () => {
        const blobs = Array.from({ length: 20 }, (_, n) => Buffer.alloc(20_000 + n, n));
        const infos = await Promise.all(blobs.map((bytes) => store.put(key('a'), pieces(bytes, 1000))));
        const kept = await store.get(key('a'));
        const winner = infos.findIndex(({ etag }) => etag === kept?.etag);
        expect(winner).toBeGreaterThanOrEqual(0);
        expect(kept?.sizeBytes).toBe(infos[winner]?.sizeBytes);
        expect(blobs[winner]?.equals(await read(kept?.bytes))).toBe(true);
      });

      it.each([1, 2, 3, 9])('keeps blobs that end with, before and after part %i, byte for byte', async (parts) => {
        for (const difference of [-1, 0, 1]) {
          const bytes = randomBytes(parts * partBytes + difference);
          const info = await store.put(key('a'), pieces(bytes, 10_000));
          expect(info.sizeBytes).toBe(bytes.length);
          expect(await store.head(key('a'))).toEqual(info);
          expect(bytes.equals((await bytesAt(key('a'))) ?? Buffer.alloc(0))).toBe(true);
        }
      });

      it.each(['many parts', 'one part'])(
        'leaves one of two blobs whose parts meet, the other has %s',
        async (size) => {
          const slow = randomBytes(7 * partBytes + 1);
          const other = randomBytes(size === 'one part' ? 100 : 5 * partBytes + 1);
          const half = gate();
          const rest = gate();
          async function* inHalves(): AsyncIterable<Uint8Array> {
            yield* pieces(slow.subarray(0, 4 * partBytes), 10_000);
            half.open();
            await rest.opened;
            yield* pieces(slow.subarray(4 * partBytes), 10_000);
          }
          const slowly = store.put(key('a'), inHalves());
          await half.opened;
          const quickly = await store.put(key('a'), pieces(other, 10_000));
          expect(await store.head(key('a'))).toEqual(quickly);
          rest.open();
          const infos = [await slowly, quickly];
          const kept = await store.get(key('a'));
          const winner = infos.findIndex(({ etag }) => etag === kept?.etag);
          expect(winner).toBeGreaterThanOrEqual(0);
          expect([slow, other][winner]?.equals(await read(kept?.bytes))).toBe(true);
          expect((await store.put(key('a'), of(Buffer.from('later')))).sizeBytes).toBe(5);
          expect(String(await bytesAt(key('a')))).toBe('later');
        },
      );

      it('leaves one of eight blobs of many parts that are put to one key at once, whole', async () => {
        const blobs = Array.from({ length: 8 }, (_, n) => Buffer.alloc(4 * partBytes + n, n));
        const infos = await Promise.all(blobs.map((bytes) => store.put(key('a'), pieces(bytes, 10_000))));
        const kept = await store.get(key('a'));
        const winner = infos.findIndex(({ etag }) => etag === kept?.etag);
        expect(winner).toBeGreaterThanOrEqual(0);
        expect(blobs[winner]?.equals(await read(kept?.bytes))).toBe(true);
      });

      it('leaves nothing of a blob of many parts whose source throws', async () => {
        const failure = new Error('the client went away');
        async function* breaking(): AsyncIterable<Uint8Array> {
          yield* pieces(randomBytes(3 * partBytes), 10_000);
          throw failure;
        }
        await expect(store.put(key('a'), breaking())).rejects.toBe(failure);
        expect(await store.head(key('a'))).toBeNull();
        expect(await listed(`${folder}/`)).toEqual([]);
      });

      it('loses no blob while others are put and deleted', async () => {
        for (let round = 0; round < 10; round += 1) {
          const keys = Array.from({ length: 12 }, (_, n) => key(`deep/${round}/below/${n}`));
          await Promise.all(
            keys.map(async (each, n) => {
              await store.put(each, of(Buffer.from(`${n}`)));
              if (n % 3 !== 0) await store.delete([each]);
            }),
          );
          const left = await Promise.all(keys.map(bytesAt));
          expect(left.map((bytes) => bytes && String(bytes))).toEqual(
            keys.map((_, n) => (n % 3 === 0 ? `${n}` : null)),
          );
        }
      });
    });

    describe('ranges', () => {
      const bytes = randomBytes(LARGE);
      const last = LARGE - 1;

      it.each([
        [0, 0],
        [last, last],
        [0, last],
        [1, last - 1],
        [65_535, 65_536],
        [262_143, 262_144],
        [262_144, 524_287],
        [300_000, last],
      ])('gives the bytes from %i to %i, and the size of the whole', async (start, end) => {
        const info = await store.put(key('a'), of(bytes));
        const blob = await store.get(key('a'), { start, end });
        expect(blob).toMatchObject(info);
        expect(bytes.subarray(start, end + 1).equals(await read(blob?.bytes))).toBe(true);
      });

      it.each([
        [last, LARGE],
        [LARGE, LARGE],
        [0, Number.MAX_SAFE_INTEGER],
        [-1, 0],
        [2, 1],
        [0.5, 1],
        [Number.NaN, 1],
      ])('refuses the range from %d to %d, which is not within the blob', async (start, end) => {
        await store.put(key('a'), of(bytes));
        await expect(store.get(key('a'), { start, end })).rejects.toThrow(RangeError);
      });

      it('finds no range within a blob of no bytes', async () => {
        await store.put(key('a'), of());
        await expect(store.get(key('a'), { start: 0, end: 0 })).rejects.toThrow(RangeError);
      });
    });

    describe('copy', () => {
      it('copies the blob that has this etag', async () => {
        const bytes = randomBytes(LARGE);
        const { etag } = await store.put(key('a'), of(bytes));
        expect(await store.copy(key('a'), key('far/b'), etag)).toBe(true);
        expect((await store.head(key('far/b')))?.sizeBytes).toBe(LARGE);
        expect(bytes.equals((await bytesAt(key('far/b'))) ?? Buffer.alloc(0))).toBe(true);
        expect((await store.head(key('a')))?.etag).toBe(etag);
      });

      it('writes nothing when the source was written again, even with the same bytes', async () => {
        const { etag } = await store.put(key('a'), of(Buffer.from('same')));
        const target = await store.put(key('b'), of(Buffer.from('target')));
        await store.put(key('a'), of(Buffer.from('same')));
        expect(await store.copy(key('a'), key('b'), etag)).toBe(false);
        expect(await store.copy(key('a'), key('c'), etag)).toBe(false);
        expect(await store.head(key('b'))).toEqual(target);
        expect(await store.head(key('c'))).toBeNull();
      });

      it('writes nothing when the source is absent', async () => {
        const { etag } = await store.put(key('a'), of(Buffer.from('gone')));
        const target = await store.put(key('b'), of(Buffer.from('target')));
        await store.delete([key('a')]);
        expect(await store.copy(key('a'), key('b'), etag)).toBe(false);
        expect(await store.copy(key('never/was'), key('c'), etag)).toBe(false);
        expect(await store.head(key('b'))).toEqual(target);
        expect(await store.head(key('c'))).toBeNull();
      });

      it('replaces the target of a copy, and a repeated copy has the same result', async () => {
        const { etag } = await store.put(key('a'), of(Buffer.from('new')));
        await store.put(key('b'), of(Buffer.from('old')));
        for (let times = 0; times < 3; times += 1) expect(await store.copy(key('a'), key('b'), etag)).toBe(true);
        expect(String(await bytesAt(key('b')))).toBe('new');
        expect((await listed(`${folder}/`)).map((blob) => blob.key).sort()).toEqual([key('a'), key('b')]);
      });

      it('copies a blob onto itself', async () => {
        const { etag } = await store.put(key('a'), of(Buffer.from('self')));
        expect(await store.copy(key('a'), key('a'), etag)).toBe(true);
        expect(String(await bytesAt(key('a')))).toBe('self');
      });

      it.each(['replaced', 'deleted'])('leaves both blobs unchanged when the other is %s', async (how) => {
        const change = (which: BlobKey) =>
          how === 'deleted' ? store.delete([which]) : store.put(which, of(Buffer.from('changed')));
        const { etag } = await store.put(key('a'), of(Buffer.from('bytes')));
        await store.copy(key('a'), key('b'), etag);
        await store.copy(key('a'), key('c'), etag);
        await change(key('b'));
        expect((await store.head(key('a')))?.etag).toBe(etag);
        expect(String(await bytesAt(key('a')))).toBe('bytes');
        await change(key('a'));
        expect(String(await bytesAt(key('c')))).toBe('bytes');
      });

      it('dates a copy from its copying, not from its source', async () => {
        const { etag } = await store.put(key('a'), of(Buffer.from('bytes')));
        const [source] = await listed(`${folder}/`);
        const put = source?.modifiedAt.getTime() ?? Number.NaN;
        expect(put).toBeGreaterThan(0);
        // Stores tell time in steps of up to a second: copy until one has passed.
        for (
          let copied = put;
          copied <= put;
          copied = (await listed(`${key('to')}/`))[0]?.modifiedAt.getTime() ?? put
        ) {
          expect(await store.copy(key('a'), key('to/b'), etag)).toBe(true);
        }
      });
    });

    describe('delete', () => {
      it('removes the given blobs and no others, and ignores absent ones', async () => {
        for (const path of ['a', 'ab', 'b/c', 'b/d']) await store.put(key(path), of(Buffer.from(path)));
        await store.delete([key('a'), key('never'), key('b/c'), key('x/y/z'), key('a')]);
        expect((await listed(`${folder}/`)).map((blob) => blob.key).sort()).toEqual([key('ab'), key('b/d')]);
        expect(await store.get(key('a'))).toBeNull();
        await store.delete([key('a')]);
        await store.delete([]);
      });

      it('lets a deleted key be put again', async () => {
        await store.put(key('x/y/a'), of(Buffer.from('first')));
        await store.delete([key('x/y/a')]);
        await store.put(key('x/y/a'), of(Buffer.from('second')));
        expect(String(await bytesAt(key('x/y/a')))).toBe('second');
      });
    });

    describe('list', () => {
      it('lists every blob under the prefix, however deep, and its size', async () => {
        const paths = ['a/1/x', 'a/1/y/z', 'a/10/x', 'a/11', 'a/2/x', 'b/a/1/x'];
        for (const path of paths) await store.put(key(path), of(Buffer.alloc(path.length)));
        const under = async (prefix: string) =>
          (await listed(`${folder}/${prefix}`)).map((blob) => [blob.key, blob.sizeBytes]).sort();
        const expected = (...of: string[]) => of.map((path) => [key(path), path.length]);
        expect(await under('a/1/')).toEqual(expected('a/1/x', 'a/1/y/z'));
        expect(await under('a/')).toEqual(expected('a/1/x', 'a/1/y/z', 'a/10/x', 'a/11', 'a/2/x'));
        expect(await under('')).toEqual(expected(...paths));
        expect(await under('c/')).toEqual([]);
        expect(await under('a/11/')).toEqual([]);
      });

      it('lists the blobs of a folder whose names begin with a word', async () => {
        for (const path of ['a/1-x', 'a/1-y-z', 'a/1-f/x', 'a/1', 'a/11-x', 'a/x-1-y', 'b/1-x'])
          await store.put(key(path), of(Buffer.from('x')));
        const keys = async (prefix: string) => (await listed(`${folder}/${prefix}`)).map((blob) => blob.key).sort();
        expect(await keys('a/1-')).toEqual([key('a/1-f/x'), key('a/1-x'), key('a/1-y-z')]);
        expect(await keys('a/2-')).toEqual([]);
        expect(await keys('c/1-')).toEqual([]);
      });

      it('lists more blobs than it fetches at a time, each once', async () => {
        const keys = Array.from({ length: 150 }, (_, n) => key(`many/${n}`));
        await Promise.all(keys.map((each) => store.put(each, of(Buffer.from('x')))));
        expect((await listed(`${key('many')}/`)).map((blob) => blob.key).sort()).toEqual([...keys].sort());
      });

      it('allows a list to be ended early', async () => {
        await store.put(key('a'), of(Buffer.from('x')));
        await store.put(key('b'), of(Buffer.from('x')));
        let seen = 0;
        for await (const _ of store.list(`${folder}/`)) {
          seen += 1;
          break;
        }
        expect(seen).toBe(1);
        expect(await listed(`${folder}/`)).toHaveLength(2);
      });

      it('continues a list while the listed blobs are deleted', async () => {
        const keys = Array.from({ length: 100 }, (_, n) => key(`many/${n % 7}/${n}`));
        await Promise.all(keys.map((each) => store.put(each, of(Buffer.from('x')))));
        for await (const blob of store.list(`${key('many')}/`)) await store.delete([blob.key]);
        expect(await listed(`${folder}/`)).toEqual([]);
      });
    });

    describe('sweep', () => {
      it('leaves every blob unchanged, and puts that began later', async () => {
        const info = await store.put(key('a'), of(randomBytes(LARGE)));
        const half = gate();
        const rest = gate();
        async function* slow(): AsyncIterable<Uint8Array> {
          yield randomBytes(LARGE);
          half.open();
          await rest.opened;
          yield randomBytes(1);
        }
        const putting = store.put(key('b'), slow());
        await half.opened;
        await store.sweep(new Date(0));
        rest.open();
        expect((await putting).sizeBytes).toBe(LARGE + 1);
        await store.sweep(new Date());
        expect(await store.head(key('a'))).toEqual(info);
        expect((await bytesAt(key('b')))?.length).toBe(LARGE + 1);
      });
    });

    if (breakStore !== undefined) {
      describe('an outage', () => {
        const unavailable = { code: 'service_unavailable' };
        let mend: Mend = () => undefined;
        afterEach(() => mend());

        it('is reported by every method, and never as absence; afterwards the same store goes on', async () => {
          const bytes = randomBytes(LARGE);
          const { etag } = await store.put(key('a'), of(bytes));
          mend = await breakStore();
          await expect(store.put(key('b'), of(bytes))).rejects.toMatchObject(unavailable);
          await expect(store.get(key('a'))).rejects.toMatchObject(unavailable);
          await expect(store.get(key('never'), { start: 0, end: 1 })).rejects.toMatchObject(unavailable);
          await expect(store.head(key('a'))).rejects.toMatchObject(unavailable);
          await expect(store.head(key('a'), true)).rejects.toMatchObject(unavailable);
          await expect(store.head(key('never'))).rejects.toMatchObject(unavailable);
          await expect(store.copy(key('a'), key('c'), etag)).rejects.toMatchObject(unavailable);
          await expect(store.delete([key('a')])).rejects.toMatchObject(unavailable);
          await expect(listed(`${folder}/`)).rejects.toMatchObject(unavailable);
          await mend();
          expect((await listed(`${folder}/`)).map((blob) => blob.key)).toEqual([key('a')]);
          expect(bytes.equals((await bytesAt(key('a'))) ?? Buffer.alloc(0))).toBe(true);
          expect(await store.copy(key('a'), key('c'), etag)).toBe(true);
          await store.delete([key('a')]);
          expect(await store.head(key('a'))).toBeNull();
        });

        it('in the middle of a put leaves the blob that was there, and no other', async () => {
          const old = await store.put(key('a'), of(Buffer.from('old')));
          async function* interrupted(): AsyncIterable<Uint8Array> {
            yield* pieces(randomBytes(4 * partBytes), 10_000);
            mend = (await breakStore?.()) ?? mend;
            yield* pieces(randomBytes(4 * partBytes), 10_000);
          }
          await expect(store.put(key('a'), interrupted())).rejects.toMatchObject(unavailable);
          await mend();
          expect(await store.head(key('a'))).toEqual(old);
          await expect(store.put(key('b'), interrupted())).rejects.toMatchObject(unavailable);
          await mend();
          expect(await store.head(key('b'))).toBeNull();
          const bytes = randomBytes(4 * partBytes);
          await store.put(key('b'), pieces(bytes, 10_000));
          expect(bytes.equals((await bytesAt(key('b'))) ?? Buffer.alloc(0))).toBe(true);
        });
      });
    }

    if (truncateBodies !== undefined) {
      describe('a body that ends early', () => {
        it.each([0, 1, LARGE / 2, LARGE - 1])('throws after %i bytes of a blob, whole or of a range', async (after) => {
          const bytes = randomBytes(LARGE);
          await store.put(key('a'), of(bytes));
          const mend = await truncateBodies(after);
          try {
            for (const range of [undefined, { start: 0, end: LARGE - 1 }]) {
              const received: Uint8Array[] = [];
              const reading = (async () => {
                for await (const chunk of (await store.get(key('a'), range))?.bytes ?? []) received.push(chunk);
              })();
              await expect(reading).rejects.toMatchObject({ code: 'service_unavailable' });
              expect(Buffer.concat(received).length).toBeLessThan(LARGE);
            }
          } finally {
            await mend();
          }
          expect(bytes.equals((await bytesAt(key('a'))) ?? Buffer.alloc(0))).toBe(true);
        });
      });
    }

    it('behaves like a table of keys and bytes under any sequence of calls', async () => {
      const path = fc.constantFrom('a', 'b', 'c/d', 'c/e');
      const put = fc.record({ call: fc.constant('put' as const), path, bytes: fc.uint8Array({ maxLength: 20 }) });
      const copy = fc.record({ call: fc.constant('copy' as const), path, to: path });
      const remove = fc.record({ call: fc.constant('delete' as const), path });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(put, copy, remove), { maxLength: 15 }), async (steps) => {
          folder = `t/${randomUUID()}`;
          const model = new Map<string, string>();
          for (const step of steps) {
            if (step.call === 'put') {
              await store.put(key(step.path), of(step.bytes));
              model.set(step.path, Buffer.from(step.bytes).toString('hex'));
            } else if (step.call === 'delete') {
              await store.delete([key(step.path)]);
              model.delete(step.path);
            } else {
              const source = await store.head(key(step.path));
              expect(await store.copy(key(step.path), key(step.to), source?.etag ?? 'none')).toBe(model.has(step.path));
              const bytes = model.get(step.path);
              if (bytes !== undefined) model.set(step.to, bytes);
            }
          }
          const kept = (await listed(`${folder}/`)).map(async (blob) => {
            return [blob.key.slice(folder.length + 1), (await bytesAt(blob.key))?.toString('hex')] as const;
          });
          expect(new Map(await Promise.all(kept))).toEqual(model);
        }),
        { numRuns: 25 },
      );
    });

    it.each([
      '',
      '/',
      'a/',
      '/a',
      'a//b',
      '..',
      'a/..',
      '../a',
      'a/../b',
      './a',
      'a/.b',
      'A',
      'a\\b',
      'a b',
      'a\u0000',
      'a\n',
      'ä',
      '%2e%2e/a',
      'a'.repeat(500),
    ])('refuses %j, which is no key', async (text) => {
      const [bad, good] = [storedKey(text), key('good')];
      const { etag } = await store.put(good, of(Buffer.from('good')));
      const refused = expect.objectContaining({ message: expect.stringContaining('Not a blob key') });
      let begun = false;
      async function* source(): AsyncIterable<Uint8Array> {
        begun = true;
        yield Buffer.from('bad');
      }
      await expect(store.put(bad, source())).rejects.toEqual(refused);
      expect(begun).toBe(false);
      await expect(store.get(bad)).rejects.toEqual(refused);
      await expect(store.head(bad)).rejects.toEqual(refused);
      await expect(store.copy(bad, good, etag)).rejects.toEqual(refused);
      await expect(store.copy(good, bad, etag)).rejects.toEqual(refused);
      await expect(store.delete([good, bad])).rejects.toEqual(refused);
      await expect(listed(`${text}/`)).rejects.toThrow('Not a prefix');
      expect(String(await bytesAt(good))).toBe('good');
    });

    it.each(['', 'a', '/', '-', '../', 'a/../', 'a/..-'])('refuses to list %j, which is no prefix', async (prefix) => {
      await expect(listed(prefix)).rejects.toThrow('Not a prefix');
    });

    async function listed(prefix: string): Promise<ListedBlob[]> {
      const blobs: ListedBlob[] = [];
      for await (const blob of store.list(prefix)) blobs.push(blob);
      return blobs;
    }
  });
}

async function* of(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* failing(bytes: Uint8Array, failure: Error): AsyncIterable<Uint8Array> {
  if (bytes.length > 0) yield bytes;
  throw failure;
}

async function read(bytes: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  if (bytes === undefined) throw new Error('the blob is absent');
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A reader that has the first piece and not yet the others; `rest` gives all. */
async function begun(blob: { readonly bytes: AsyncIterable<Uint8Array> } | null): Promise<{ rest(): Promise<Buffer> }> {
  if (blob === null) throw new Error('the blob is absent');
  const reader = blob.bytes[Symbol.asyncIterator]();
  const first = await reader.next();
  if (first.done || first.value.length >= LARGE) throw new Error('there is no rest to read');
  return {
    async rest() {
      const chunks = [first.value];
      for (let next = await reader.next(); !next.done; next = await reader.next()) chunks.push(next.value);
      return Buffer.concat(chunks);
    },
  };
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
