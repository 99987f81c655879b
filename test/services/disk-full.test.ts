import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { type Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { ImageSigner } from '../e2e/support/signed-image.js';
import { expectSound } from '../e2e/support/sound.js';

const photo = (name: string) => new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos', name)));
const large = photo('nokia83-gps-offset.jpg');
const small = photo('notocactus.jpg');
// Decoded, it is a file of many times this size.
const heic = photo('iphone7-gps.heic');

/** Blobs on a small disk of their own, in memory. Mounting one takes root. */
describe('RELIABILITY F13: the disk of the photos is full', () => {
  let installation: Installation;
  let client: Client;
  let disk: string;
  /** Where pictures are while they are decoded: a small disk, too. */
  let scratch: string;
  beforeAll(async () => {
    installation = await Installation.make();
    disk = join(installation.dataDir, 'blobs');
    mkdirSync(disk);
    scratch = join(installation.dataDir, 'scratch');
    mkdirSync(scratch, { recursive: true });
    mountSmallDisk(disk, '24m');
    mountSmallDisk(scratch, '64m');
    // Nothing is left free for others here, so that every byte of the disk can be used up.
    // In a sandbox pictures are unpacked in memory; elsewhere on this disk.
    await installation.start({ MIN_FREE_BYTES: '0', MEDIA_ISOLATION: 'process' });
    client = await installation.client();
  });
  afterAll(async () => {
    await installation.stop();
    for (const mounted of [disk, scratch]) execFileSync('umount', [mounted]);
    await installation.remove();
  });
  afterEach(makeRoom);

  it('an upload answers 507 and leaves nothing; everything else goes on; the same upload succeeds once there is room', async () => {
    const { importId, item } = await registered(large);
    fillBut(large.length - 100_000);
    const refused = await client.upload(item.upload, large);
    expect(refused.status).toBe(507);
    expect(refused.body.error.code).toBe('storage_full');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(readdirSync(join(disk, 'tmp'))).toEqual([]);
    expect((await client.get('/me')).status).toBe(200);
    expect((await stateOf(importId)).status).toBe('awaiting_upload');
    makeRoom();
    expect((await client.upload(item.upload, large)).status).toBe(204);
    await published(importId, large);
  });

  it('an upload in several requests answers 507, keeps what it brought, and goes on from there once there is room', async () => {
    const { importId, item } = await registered(large);
    const half = large.length >> 1;
    expect((await resume(item.upload, 0, half)).status).toBe(204);
    fillBut(100_000);
    const refused = await resume(item.upload, half);
    expect([refused.status, (await refused.json()).error.code]).toEqual([507, 'storage_full']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(readdirSync(join(disk, 'tmp'))).toEqual([]);
    makeRoom();
    const { headers } = await fetch(item.upload.url, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } });
    const offset = Number(headers.get('upload-offset'));
    expect(offset).toBeGreaterThanOrEqual(half);
    expect((await resume(item.upload, offset)).status).toBe(204);
    await published(importId, large);
  });

  it('a request with files answers 507, and none of them is in the import', async () => {
    const importId: number = (await client.post('/imports', { duplicatePolicy: 'allow' })).body.id;
    fillBut(large.length - 100_000);
    const files = [
      { name: 'small.jpg', bytes: small },
      { name: 'large.jpg', bytes: large },
    ];
    const refused = await client.inline(importId, files);
    expect(refused.status).toBe(507);
    expect(readdirSync(join(disk, 'tmp'))).toEqual([]);
    expect((await client.get(`/imports/${importId}`)).body.counts.total).toBe(0);
    makeRoom();
    expect((await client.inline(importId, files)).status).toBe(201);
    expect((await client.post(`/imports/${importId}/finalize`, {}, { Prefer: 'wait=15' })).body.counts.failed).toBe(0);
  });

  it('a photo whose thumb finds no room is kept, and has its thumb once there is room', async () => {
    const { importId, item } = await registered(small);
    fillBut(small.length + 8_000);
    const before = installation.printed().length;
    expect((await client.upload(item.upload, small)).status).toBe(204);
    await until('the worker to meet the full disk', () => installation.printed().includes('storage is full', before));
    // The original came first, and it is what matters: the thumb can be made of it at any time.
    expect((await stateOf(importId)).status).toBe('ready');
    makeRoom();
    await published(importId, small);
    const { photoId } = await stateOf(importId);
    const thumb = await client.bytes(`/photos/${photoId}/download?rendition=thumb`);
    expect([...thumb.subarray(0, 2)]).toEqual([0xff, 0xd8]);
  });

  describe('a picture of a signed URL', () => {
    let signer: ImageSigner;
    let photoId: number;
    beforeAll(async () => {
      const { importId, item } = await registered(heic);
      await client.upload(item.upload, heic);
      await published(importId, heic);
      ({ photoId } = await stateOf(importId));
      signer = await ImageSigner.of(installation);
    });

    it.each([
      ['that cannot be stored', () => fillBut(0)],
      ['whose original cannot be copied for the decoder', () => fillBut(heic.length - 100_000, scratch)],
      ['whose original cannot be unpacked', () => fillBut(heic.length + 2_000_000, scratch)],
    ])('%s is 503, leaves nothing, and is shown as soon as there is room', async (name, fill) => {
      const path = signer.path(photoId, `w=${100 + name.length},f=png`);
      const stored = storedPictures();
      fill();
      for (let times = 0; times < 2; times += 1) {
        const refused = await fetch(`${installation.url}${path}`);
        expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect([readdirSync(join(disk, 'tmp')), storedPictures()]).toEqual([[], stored]);
      makeRoom();
      const shown = await fetch(`${installation.url}${path}`);
      expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(await sharp(await shown.arrayBuffer()).metadata()).toMatchObject({ width: 100 + name.length });
      expect(storedPictures()).toHaveLength(stored.length + 1);
      expect(picturesBeingRead()).toEqual([]);
    });

    it('that is stored already is still shown', async () => {
      const path = signer.path(photoId, 'w=99,f=jpeg');
      expect((await fetch(`${installation.url}${path}`)).status).toBe(200);
      fillBut(0);
      fillBut(0, scratch);
      expect((await fetch(`${installation.url}${path}`)).status).toBe(200);
    });

    const storedPictures = () =>
      readdirSync(join(disk, 'renditions'), { recursive: true }).filter((name) => /[.](png|jpe?g)$/.test(String(name)));
    const picturesBeingRead = () =>
      readdirSync(scratch, { recursive: true }).filter((name) => /picture|tiff?$/.test(String(name)));
  });

  it('loses nothing, and leaves nothing over afterwards', () => expectSound(installation));

  function mountSmallDisk(path: string, size: string): void {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'phs-small-disk', path]);
  }

  function fillBut(bytes: number, path = disk): void {
    const { bavail, bsize } = statfsSync(path);
    writeFileSync(join(path, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
  }

  function makeRoom(): void {
    for (const path of [disk, scratch]) rmSync(join(path, 'filler'), { force: true });
  }

  async function registered(bytes: Uint8Array) {
    const importId: number = (await client.post('/imports', { duplicatePolicy: 'allow' })).body.id;
    const photos = [{ filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) }];
    const { body } = await client.post(`/imports/${importId}/photos`, { photos });
    return { importId, item: body.data[0].photo };
  }

  /** Sends a part of the large file to where it is to go on. */
  function resume({ url }: { url: string }, from: number, to = large.length): Promise<Response> {
    const type = 'application/offset+octet-stream';
    const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Offset': String(from), 'Content-Type': type };
    return fetch(url, { method: 'PATCH', headers, body: large.slice(from, to) });
  }

  async function stateOf(importId: number) {
    return (await client.get(`/imports/${importId}?include=photos`)).body.photos.data[0];
  }

  async function published(importId: number, bytes: Uint8Array): Promise<void> {
    await client.post(`/imports/${importId}/finalize`);
    await until('the photo to be there', async () => (await stateOf(importId)).status === 'imported');
    const { photoId } = await stateOf(importId);
    expect(sha256(await client.bytes(`/photos/${photoId}/download`))).toBe(sha256(bytes));
  }
});
