import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChecksumError, type PhotoService } from 'photo-service-sdk';
import { downloadFile } from 'photo-service-sdk/node';
import { importPhotos, picture, sha256 } from '../api/support/photos.js';
import type { Disturbance } from './support/front.js';
import { SdkWorld } from './support/service.js';

const bytes = picture('a photo with a name', { width: 4000 });
let world: SdkWorld;
let client: PhotoService;
let id: number;
beforeAll(async () => {
  world = await SdkWorld.start();
  const made = await world.client();
  client = made.client;
  const [photo] = await importPhotos(world.app, made.actor, [{ filename: 'Füße.jpg', content: bytes }]);
  id = photo.id;
});
afterAll(() => world.close());
beforeEach(() => world.front.reset());

const folder = () => mkdtemp(join(world.folder, 'd-'));

function disturb(...disturbances: readonly Disturbance[]): void {
  const left = [...disturbances];
  world.front.disturbing(({ path }) => (path.includes('/download') ? left.shift() : undefined));
}

test('a download returns verified bytes with their headers', async () => {
  const download = await client.photos.download(id);
  expect(download).toMatchObject({
    sizeBytes: bytes.length,
    sha256: sha256(bytes),
    filename: 'Füße.jpg',
    isPart: false,
  });
  expect(Buffer.from(await download.bytes()).equals(bytes)).toBe(true);
  const small = await client.photos.download(id, { rendition: 'small', format: 'webp' });
  expect(small).toMatchObject({ contentType: 'image/webp', sha256: null, filename: 'Füße.webp' });
  expect((await small.bytes()).length).toBe(small.sizeBytes);
});

test('a download returns no bytes that changed on their way, neither in memory nor as a file', async () => {
  disturb('tamper', 'tamper');
  await expect((await client.photos.download(id)).bytes()).rejects.toBeInstanceOf(ChecksumError);
  const place = await folder();
  await expect(downloadFile(client, id, join(place, 'photo.jpg'))).rejects.toBeInstanceOf(ChecksumError);
  expect(await readdir(place)).toEqual([]);
});

test('a downloaded file is complete or absent', async () => {
  const place = await folder();
  const path = join(place, 'photo.jpg');
  expect(await downloadFile(client, id, path)).toEqual({ path, sizeBytes: bytes.length, sha256: sha256(bytes) });
  expect(await readdir(place)).toEqual(['photo.jpg']);
  await expect(downloadFile(client, 999, path)).rejects.toMatchObject({ code: 'not_found' });
  expect(sha256(await readFile(path))).toBe(sha256(bytes));
});

test('a download that was interrupted continues where it broke', async () => {
  disturb('cut', 'cut');
  const path = join(await folder(), 'photo.jpg');
  let counted = 0;
  const onBytes = (count: number) => {
    counted += count;
  };
  expect(await downloadFile(client, id, path, { onBytes })).toMatchObject({ sha256: sha256(bytes) });
  expect(counted).toBe(bytes.length);
  const ranges = world.front.seen.map(({ headers }) => headers.range);
  expect(ranges).toEqual([
    undefined,
    expect.stringMatching(/^bytes=[1-9]\d*-$/),
    expect.stringMatching(/^bytes=[1-9]\d*-$/),
  ]);
});
