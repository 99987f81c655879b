import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, type PhotoDetails, type PhotoService, runImport } from 'photo-service-sdk';
import { SourceFactory } from 'photo-service-sdk/node';
import { folderSource } from '../../cli/src/sources/folder-source.js';
import { importSource } from '../../cli/src/sources/import-source.js';
import { syncFolder } from '../../cli/src/sync/sync-folder.js';
import { picture } from '../api/support/photos.js';
import { SdkWorld } from '../sdk/support/service.js';

let world: SdkWorld;
let folder: string;
let client: PhotoService;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phs-sync-'));
  client = (await world.client()).client;
  await imports({
    'a.jpg': { title: 'A', tagNames: ['Night', 'Places/France'], takenAt: '2024-12-21T23:39:24+01:00', rating: 4 },
    'b.jpg': { description: 'B', location: { latitude: 1.5, longitude: -2.25, altitude: 3 } },
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

async function imports(photos: Readonly<Record<string, PhotoDetails>>): Promise<void> {
  const factory = new SourceFactory();
  const { Readable } = await import('node:stream');
  const sources = Object.entries(photos).map(([name, details]) => {
    const bytes = picture(name);
    const content = { sizeBytes: bytes.length, open: (start: number) => Readable.from([bytes.subarray(start)]) };
    return factory.stream({ ref: name, filename: name, content, fingerprint: null, details });
  });
  expect(await runImport(client, sources)).toMatchObject({ failed: [] });
  await factory.close();
}

const signal = new AbortController().signal;
const sync = (settings: Partial<Parameters<typeof syncFolder>[2]> = {}) =>
  syncFolder(client, folder, {
    ...{ full: false, deletes: true, sidecars: true, signal, onStep: () => undefined },
    ...settings,
  });
const names = () => readdirSync(folder).filter((name) => !name.startsWith('.'));
const photo = async (filename: string) => (await client.photos.list({ filename }).toArray())[0] as { id: number };
const sidecar = (name: string) => readFileSync(join(folder, name), 'utf8');

it('writes a sidecar beside each photo, and again only when it says something else', async () => {
  expect(await sync()).toMatchObject({ downloaded: 2, sidecars: 2 });
  expect(names()).toEqual(['a.jpg', 'a.jpg.xmp', 'b.jpg', 'b.jpg.xmp']);
  expect(await sync()).toMatchObject({ downloaded: 0, sidecars: 0, kept: [] });
  await client.photos.update((await photo('a.jpg')).id, { title: 'Another' });
  expect(await sync()).toMatchObject({ downloaded: 0, sidecars: 1 });
  expect(sidecar('a.jpg.xmp')).toContain('>Another<');
});

it('photos that were there before get theirs when sidecars are wanted', async () => {
  expect(await sync({ sidecars: false })).toMatchObject({ downloaded: 2, sidecars: 0 });
  expect(names()).toEqual(['a.jpg', 'b.jpg']);
  expect(await sync()).toMatchObject({ downloaded: 0, sidecars: 2, compared: true });
});

it('sidecars follow their photos when they are renamed or trashed', async () => {
  await sync();
  await client.photos.update((await photo('a.jpg')).id, { filename: 'c.jpg' });
  await client.photos.delete((await photo('b.jpg')).id);
  expect(await sync()).toMatchObject({ renamed: 1, deleted: 1, kept: [] });
  expect(names()).toEqual(['c.jpg', 'c.jpg.xmp']);
});

it('a sidecar that another program wrote or changed stays', async () => {
  writeFileSync(join(folder, 'b.jpg.xmp'), 'mine');
  expect(await sync()).toMatchObject({ sidecars: 1, kept: ['b.jpg.xmp'] });
  writeFileSync(join(folder, 'a.jpg.xmp'), 'edited');
  const { id } = await photo('a.jpg');
  await client.photos.update(id, { title: 'Another' });
  expect(await sync()).toMatchObject({ sidecars: 0, kept: expect.arrayContaining(['a.jpg.xmp']) });
  await client.photos.delete(id);
  await sync();
  expect([sidecar('a.jpg.xmp'), sidecar('b.jpg.xmp')]).toEqual(['edited', 'mine']);
});

it('a sidecar that a killed run wrote is recognized as our own', async () => {
  await sync();
  const state = join(folder, '.photo-service-sync.json');
  writeFileSync(state, readFileSync(state, 'utf8').replaceAll(/,"sidecar":\{[^}]*\}/g, ''));
  expect(await sync({ full: true })).toMatchObject({ sidecars: 0, kept: [] });
  await client.photos.update((await photo('a.jpg')).id, { title: 'Another' });
  expect(await sync()).toMatchObject({ sidecars: 1, kept: [] });
});

it('a photo that could not be downloaded is tried again by the next run that gets to it', async () => {
  world.front.disturbing(({ path }) => (/\/photos\/\d+\/download/.test(path) ? { status: 409, body: {} } : undefined));
  const { downloaded, failed } = await sync();
  expect([downloaded, failed.map(({ filename }) => filename).sort()]).toEqual([0, ['a.jpg', 'b.jpg']]);
  // Long after: nothing else has changed since.
  const state = join(folder, '.photo-service-sync.json');
  writeFileSync(state, readFileSync(state, 'utf8').replace(/"since":"[^"]*"/, '"since":"2099-01-01T00:00:00.000Z"'));
  world.front.disturbing(() => ({ status: 401, body: {} }));
  await expect(sync()).rejects.toThrow(ApiError);
  world.front.calm();
  expect(await sync()).toMatchObject({ downloaded: 2, sidecars: 2, failed: [] });
  expect(await sync()).toMatchObject({ downloaded: 0, unchanged: 0 });
});

it('a state that names another file as a sidecar is refused', async () => {
  await sync();
  writeFileSync(join(folder, 'mine'), 'mine');
  const state = join(folder, '.photo-service-sync.json');
  writeFileSync(state, readFileSync(state, 'utf8').replace('"name":"a.jpg.xmp"', '"name":"mine"'));
  await expect(sync()).rejects.toThrow('not a state file of phs sync');
});

it('a synced folder brings the photos into another library with all that was said of them', async () => {
  await sync();
  const { client: other } = await world.client();
  const options = { stateFile: join(world.folder, `state-${Date.now()}`), signal };
  const result = await importSource(other, folderSource([folder], { sidecars: true }), options);
  expect(result).toMatchObject({ imported: 2, losses: [], skippedFiles: [] });
  const described = async (each: PhotoService) =>
    (await each.photos.list({ sort: 'filename' }).toArray()).map(
      ({ filename, sha256, title, description, takenAt, takenAtLocal, timeZone, location, rating, tags }) => ({
        ...{ filename, sha256, title, description, takenAt, takenAtLocal, timeZone, location, rating },
        tags: tags.map(({ name }) => name),
      }),
    );
  expect(await described(other)).toEqual(await described(client));
});
