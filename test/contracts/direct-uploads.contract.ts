import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type BlobKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { BlobStore } from '../../src/core/blobs/blob-store.js';
import type { DirectUploads } from '../../src/core/blobs/direct-uploads.js';
import type { UploadAddress } from '../../src/core/shared/addresses.js';

export interface OpenUploads {
  readonly uploads: DirectUploads;
  /** The store that they lead to. */
  readonly blobs: BlobStore;
  /** What a client does with an address. False when it is refused. */
  send(url: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array): Promise<boolean>;
  /** Sends a request without a body to an address. False when it is refused. */
  tryAs(method: 'GET' | 'DELETE', url: string): Promise<boolean>;
  /** Lets so many seconds pass. */
  wait(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export interface DirectUploadsContractOptions {
  /** False for a store whose signatures bind neither the length nor the hash of what is sent. */
  readonly bindsBytes?: boolean;
}

/** What `DirectUploads` promises. */
export function directUploadsContract(
  name: string,
  open: () => Promise<OpenUploads>,
  { bindsBytes = true }: DirectUploadsContractOptions = {},
): void {
  describe(`DirectUploads: ${name}`, () => {
    let opened: OpenUploads;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const newKey = () => storedKey(`t/${randomUUID()}`);
    const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    const stored = async (key: BlobKey) => {
      const blob = await opened.blobs.get(key);
      if (blob === null) return null;
      const chunks: Uint8Array[] = [];
      for await (const chunk of blob.bytes) chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    const signOne = async (key: BlobKey, bytes: Uint8Array, { hashed = true, seconds = 600 } = {}) => {
      const blob = { key, sizeBytes: bytes.length, sha256: hashed ? hashOf(bytes) : null };
      return (await opened.uploads.sign([blob], seconds))[0] as UploadAddress;
    };

    it.each([true, false])(
      'accepts the bytes that were announced (with their hash: %s), more than once',
      async (hashed) => {
        const [key, bytes] = [newKey(), randomBytes(50_000)];
        const { url, headers } = await signOne(key, bytes, { hashed });
        expect(headers['content-length']).toBe('50000');
        for (let times = 0; times < 2; times += 1) {
          expect(await opened.send(url, headers, bytes)).toBe(true);
          expect(bytes.equals((await stored(key)) ?? Buffer.alloc(0))).toBe(true);
        }
      },
    );

    it('reports the origin of the URLs that it signs', async () => {
      const { url } = await signOne(newKey(), Buffer.from('x'));
      expect(await opened.uploads.origin()).toBe(new URL(url).origin);
    });

    it('signs many uploads, in order, each for its own key', async () => {
      const blobs = Array.from({ length: 45 }, (_, n) => ({ key: newKey(), bytes: Buffer.from(`blob ${n}`) }));
      const expected = blobs.map(({ key, bytes }) => ({ key, sizeBytes: bytes.length, sha256: hashOf(bytes) }));
      const signed = await opened.uploads.sign(expected, 600);
      expect(signed).toHaveLength(45);
      for (const [n, { url, headers }] of signed.entries()) {
        expect(await opened.send(url, headers, blobs[n]?.bytes ?? Buffer.alloc(0))).toBe(true);
      }
      for (const { key, bytes } of blobs) expect(await stored(key)).toEqual(bytes);
      expect(await opened.uploads.sign([], 600)).toEqual([]);
    });

    if (bindsBytes) {
      it.each([49_999, 50_001])('refuses %i bytes where 50,000 were announced, and stores none', async (length) => {
        const key = newKey();
        const { url, headers } = await signOne(key, randomBytes(50_000));
        const sent = { ...headers, 'content-length': String(length) };
        expect(await opened.send(url, sent, randomBytes(length))).toBe(false);
        expect(await opened.blobs.head(key)).toBeNull();
      });

      it('refuses a PUT without the signed hash, or with another', async () => {
        const [key, bytes] = [newKey(), randomBytes(1000)];
        const { url, headers } = await signOne(key, bytes);
        const [bound] = Object.keys(headers).filter((header) => header !== 'content-length');
        expect(bound).toBeDefined();
        const other = { ...headers, [String(bound)]: createHash('sha256').update('other').digest('base64') };
        expect(await opened.send(url, other, bytes)).toBe(false);
        expect(await opened.send(url, { 'content-length': '1000' }, bytes)).toBe(false);
        expect(await opened.blobs.head(key)).toBeNull();
      });
    }

    it('gives no permission to read, list or delete', async () => {
      const [key, bytes] = [newKey(), randomBytes(1000)];
      const { url, headers } = await signOne(key, bytes);
      expect(await opened.send(url, headers, bytes)).toBe(true);
      for (const method of ['GET', 'DELETE'] as const) expect(await opened.tryAs(method, url)).toBe(false);
      expect(await stored(key)).toEqual(bytes);
    });

    it('refuses another key than the signed one', async () => {
      const [key, other, bytes] = [newKey(), newKey(), randomBytes(1000)];
      const { url, headers } = await signOne(key, bytes);
      expect(await opened.send(url.replace(key, other), headers, bytes)).toBe(false);
      expect(await opened.blobs.head(other)).toBeNull();
    });

    it('refuses an upload after its expiry', async () => {
      const [key, bytes] = [newKey(), randomBytes(1000)];
      const { url, headers } = await signOne(key, bytes, { seconds: 1 });
      await opened.wait(3);
      expect(await opened.send(url, headers, bytes)).toBe(false);
      expect(await opened.blobs.head(key)).toBeNull();
    });
  });
}
