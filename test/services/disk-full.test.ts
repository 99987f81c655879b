import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { expectSound } from '../e2e/support/sound.js';

const photo = (name: string) => new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos', name)));
const large = photo('nokia83-gps-offset.jpg');
const small = photo('notocactus.jpg');

/** Blobs on a small disk of their own, in memory. Mounting one takes root. */
describe('RELIABILITY F13: the disk of the photos is full', () => {
  let installation: Installation;
  let client: Client;
  let disk: string;
  beforeAll(async () => {
    installation = await Installation.make();
    disk = join(installation.dataDir, 'blobs');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=0700', 'phs-small-disk', disk]);
    // Nothing is left free for others here, so that every byte of the disk can be used up.
    await installation.start({ MIN_FREE_BYTES: '0' });
    client = installation.client();
  });
  afterAll(async () => {
    await installation.stop();
    execFileSync('umount', [disk]);
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

  it('nothing was lost, and nothing is left over', () => expectSound(installation));

  function fillBut(bytes: number): void {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
  }

  function makeRoom(): void {
    rmSync(join(disk, 'filler'), { force: true });
  }

  async function registered(bytes: Uint8Array) {
    const importId: number = (await client.post('/imports', { duplicatePolicy: 'allow' })).body.id;
    const photos = [{ filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) }];
    const { body } = await client.post(`/imports/${importId}/photos`, { photos });
    return { importId, item: body.data[0].photo };
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
