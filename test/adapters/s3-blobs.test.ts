import { createServer } from 'node:net';
import { usualPatience } from '../../src/adapters/remote-blobs/outage.js';
import { inParts } from '../../src/adapters/remote-blobs/parts.js';
import { openS3, S3DirectUploads } from '../../src/adapters/s3-blobs/open-s3.js';
import { S3BlobStore } from '../../src/adapters/s3-blobs/s3-blob-store.js';
import { partsFor, S3Bucket } from '../../src/adapters/s3-blobs/s3-client.js';
import { inOneChunk } from '../../src/core/blobs/blob-bytes.js';
import { storedKey } from '../../src/core/blobs/blob-key.js';

/*
 * What can be said without a server. The contract, the faults and the main job run against a real gateway in test/services.
 */

const settings = {
  endpoint: 'https://bytes.example.com',
  region: 'eu-west-3',
  bucket: 'photos',
  credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  forcePathStyle: true,
};
const key = storedKey('staging/1/2/3/4');

describe('signed addresses', () => {
  const sha256 = 'ab'.repeat(32);
  let uploads: S3DirectUploads;
  beforeEach(() => {
    uploads = new S3DirectUploads(settings);
  });
  afterEach(() => uploads.close());

  const sign = async (hash: string | null) => {
    const [signed] = await uploads.sign([{ key, sizeBytes: 1234, sha256: hash }], 21_600);
    return { url: new URL(signed?.url ?? ''), headers: signed?.headers };
  };

  it('bind length and hash as headers, and are good for six hours and one key', async () => {
    const { url, headers } = await sign(sha256);
    expect(`${url.origin}${url.pathname}`).toBe(`https://bytes.example.com/photos/${key}`);
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host;x-amz-checksum-sha256');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('21600');
    expect(headers).toEqual({
      'content-length': '1234',
      'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
    });
  });

  it('bind the length where no hash is known, and nothing that a client does not send', async () => {
    const { url, headers } = await sign(null);
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
    expect(headers).toEqual({ 'content-length': '1234' });
    expect([...url.searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
  });

  it('are made without waiting for other calls', async () => {
    const blobs = Array.from({ length: 100 }, () => ({ key, sizeBytes: 1, sha256 }));
    let turns = 0;
    let done = false;
    const others = (async () => {
      while (!done) {
        turns += 1;
        await new Promise((wake) => setImmediate(wake));
      }
    })();
    expect(await uploads.sign(blobs, 60)).toHaveLength(100);
    done = true;
    await others;
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});

describe('parts', () => {
  const sizes = async (chunks: readonly number[], partBytes: number) => {
    async function* source() {
      for (const size of chunks) yield new Uint8Array(size);
    }
    const found: [number, boolean][] = [];
    for await (const { bytes, isLast } of inParts(source(), partBytes)) found.push([bytes.length, isLast]);
    return found;
  };

  it.each<[number[], [number, boolean][]]>([
    [[], [[0, true]]],
    [[0, 0], [[0, true]]],
    [[10], [[10, true]]],
    [[4, 6], [[10, true]]],
    [[10, 0], [[10, true]]],
    [
      [10, 1],
      [
        [10, false],
        [1, true],
      ],
    ],
    [
      [25],
      [
        [10, false],
        [10, false],
        [5, true],
      ],
    ],
    [
      [3, 30, 7],
      [
        [10, false],
        [10, false],
        [10, false],
        [10, true],
      ],
    ],
  ])('of chunks of %j are full but for the last, of which there is always one', async (chunks, parts) => {
    expect(await sizes(chunks, 10)).toEqual(parts);
  });

  it('are never more than a store takes, nor smaller than it takes', () => {
    for (const maxBytes of [1, 200 * 1024 ** 2, 100 * 1024 ** 3]) {
      const { sent, copied } = partsFor(maxBytes);
      expect(sent).toBeGreaterThanOrEqual(5 * 1024 ** 2);
      for (const size of [sent, copied]) expect(Math.ceil(maxBytes / size)).toBeLessThanOrEqual(10_000);
    }
  });
});

describe('a store that cannot be reached', () => {
  it('is an outage for every call, never an absence', async () => {
    const port = await closedPort();
    const bucket = new S3Bucket({ ...settings, endpoint: `http://127.0.0.1:${port}` });
    const store = new S3BlobStore(bucket);
    const calls = [
      () => store.put(key, inOneChunk(new Uint8Array(1))),
      () => store.get(key),
      () => store.get(key, { start: 2, end: 1 }),
      () => store.head(key),
      () => store.copy(key, key, 'etag'),
      () => store.delete([key]),
      () => store.list('staging/')[Symbol.asyncIterator]().next(),
      () => store.sweep(new Date()),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'service_unavailable' });
    bucket.close();
  });

  it('does not prevent the start of a service, nor the signing of addresses', async () => {
    const opened = openS3({ ...settings, endpoint: null, publicEndpoint: 'https://bytes.example.com' }, 1000);
    expect(await opened.directUploads?.sign([{ key, sizeBytes: 1, sha256: null }], 60)).toHaveLength(1);
    opened.close?.();
    expect(openS3({ ...settings, publicEndpoint: null }, 1000).directUploads).toBeNull();
  });

  it('is given up within 60 s when it hangs', () => {
    const pausesBetween = 5_000;
    expect(usualPatience.attempts * usualPatience.silence + pausesBetween).toBeLessThan(60_000);
    expect(usualPatience.call).toBeLessThan(60_000);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
