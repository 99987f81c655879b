import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PhotoService } from 'photo-service-sdk';
import { exportLibrary } from '../../cli/src/export/export-library.js';
import { photoServiceSource, restoreExport } from '../../cli/src/export/restore-export.js';
import type { SyncResult } from '../../cli/src/sync/sync-folder.js';
import { SdkWorld } from '../sdk/support/service.js';
import { comparable, fillLibrary, imports, named } from './exported-library.js';
import { photoSourceContract } from './sources/source-contract.js';

let world: SdkWorld;
let folder: string;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(() => {
  world.front.reset();
  folder = mkdtempSync(join(tmpdir(), 'phs-export-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const { signal } = new AbortController();

/** A library with whatever a photo can be. */
async function library(): Promise<PhotoService> {
  const { client } = await world.client();
  await fillLibrary(client);
  return client;
}

const exported = (client: PhotoService, by: 'date' | 'tag' = 'date') =>
  exportLibrary(client, folder, { by, signal, onStep: () => undefined });
const restored = (client: PhotoService) =>
  restoreExport(client, folder, { stateFile: join(folder, '.state', 'state.json'), signal });
const filesIn = (path: string) =>
  readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

describe('the contract of sources', () => {
  photoSourceContract(async () => {
    const { client } = await world.client();
    await imports(client, { 'a.jpg': { details: { title: 'A', tagNames: ['Paris'] } }, 'b.jpg': {} });
    await exported(client);
    return photoServiceSource(folder);
  });
});

it('an export that is brought into an empty library is equal in every field; a second run changes nothing', async () => {
  const client = await library();
  expect(await exported(client)).toMatchObject({ photos: 8, tags: 3, imports: 3, complete: true, failed: [] });
  const { client: other } = await world.client();
  const result = await restored(other);
  expect(result).toMatchObject({ imported: 8, failed: [], losses: [], differences: [] });
  expect(await comparable(other)).toEqual(await comparable(client));
  expect(await other.tags.named('Paris')).toMatchObject({ color: '#3366ff', description: 'La ville', photoCount: 1 });
  const photo = await named(other, 'a.jpg');
  expect(await other.imports.get(photo.importId as number)).toMatchObject({ name: 'First', source: 'test' });

  const before = await comparable(other);
  const uploads = world.front.uploads().length;
  expect(await restored(other)).toMatchObject({ imported: 0, edited: 0, differences: [] });
  expect(await comparable(other)).toEqual(before);
  expect(world.front.uploads()).toHaveLength(uploads);
  expect(world.front.seen.filter(({ status }) => status === 429)).toEqual([]);
});

it('an export contains originals with sidecars by date, checksums of all of them, and lists', async () => {
  await exported(await library());
  const files = filesIn('photos');
  expect(files).toEqual(
    expect.arrayContaining(['photos/2024/12/a.jpg', 'photos/2024/12/a.jpg.xmp', 'photos/2024/07/b.jpg']),
  );
  expect(files).toEqual(expect.arrayContaining(['photos/undated/c.jpg', 'photos/undated/c.jpg.xmp']));
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
  expect(sums.map((line) => line.slice(66)).sort()).toEqual(files);
  for (const line of sums) {
    const hash = createHash('sha256').update(readFileSync(join(folder, line.slice(66))));
    expect(hash.digest('hex')).toBe(line.slice(0, 64));
  }
  expect(JSON.parse(readFileSync(join(folder, 'export.json'), 'utf8'))).toMatchObject({
    format: 'photo-service-export',
    counts: { photos: 8, tags: 3, imports: 3 },
  });
});

it('an export by tag has each photo in the folder of its first tag, and another order moves the files', async () => {
  const client = await library();
  await exported(client);
  expect(await exported(client, 'tag')).toMatchObject({ downloaded: 0, renamed: 8 });
  expect(filesIn('photos').filter((path) => !path.endsWith('.xmp'))).toEqual(
    expect.arrayContaining(['photos/Paris/a.jpg', 'photos/untagged/b.jpg']),
  );
});

it('the pages of an export show the photos without a server, whatever their titles are', async () => {
  const { client } = await world.client();
  const title = '<script>alert(1)</script>" onerror="x';
  await imports(client, { 'a #1?.jpg': { details: { title, takenAt: '2024-12-21T23:39:24Z', rating: 3 } } });
  await exported(client);
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(index).toContain('href="pages/2024-12.html"');
  const page = readFileSync(join(folder, 'pages/2024-12.html'), 'utf8');
  expect(page).toContain('href="../photos/2024/12/a%20%231_.jpg"');
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot; onerror=&quot;x');
  expect(page).not.toContain('<script');
  const [, thumb] = /src="\.\.\/(thumbs\/[^"]+)"/.exec(page) ?? [];
  expect(readFileSync(join(folder, thumb as string)).length).toBeGreaterThan(0);
});

it('a later run of an export writes only what changed, and reports what is in the trash', async () => {
  const client = await library();
  await exported(client);
  await client.photos.update((await named(client, 'a.jpg')).id, { title: 'Another' });
  await client.photos.delete((await named(client, 'b.jpg')).id);
  expect(await exported(client)).toMatchObject({ downloaded: 0, sidecars: 1, deleted: 1, trashed: 1, photos: 7 });
  expect(filesIn('photos')).not.toContain('photos/2024/07/b.jpg');
  expect(readFileSync(join(folder, 'photos.jsonl'), 'utf8')).toContain('"title":"Another"');
});

it('an export that was interrupted goes on where it stopped', async () => {
  const client = await library();
  const controller = new AbortController();
  const options = { by: 'date' as const, signal: controller.signal };
  const stopped = exportLibrary(client, folder, {
    ...options,
    onStep: ({ downloaded }) => downloaded >= 3 && controller.abort(),
  });
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
  await expect(restored(client)).rejects.toThrow('not a complete export');
  const before = filesIn('photos').filter((path) => !path.endsWith('.xmp'));
  expect(before.length).toBeGreaterThanOrEqual(3);
  expect(await exported(client)).toMatchObject({ downloaded: 8 - before.length, photos: 8, complete: true, kept: [] });
  expect(filesIn('photos')).toHaveLength(16);
});

it('an update that is interrupted leaves no complete export from its first change on, and goes on', async () => {
  const client = await library();
  await exported(client);
  const isComplete = () => existsSync(join(folder, 'export.json'));
  const interrupted = async (isEnough: (result: SyncResult) => boolean) => {
    const controller = new AbortController();
    const seen: boolean[] = [];
    const onStep = (result: SyncResult) => {
      seen.push(isComplete());
      if (isEnough(result)) controller.abort();
    };
    const stopped = exportLibrary(client, folder, { by: 'date', signal: controller.signal, onStep });
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    return seen;
  };
  // Nothing has changed yet.
  expect(new Set(await interrupted(({ unchanged }) => unchanged === 8))).toEqual(new Set([true]));
  await expect(photoServiceSource(folder)).resolves.toBeDefined();
  await client.photos.update((await named(client, 'turned.jpg')).id, { title: 'Another' });
  expect((await interrupted(({ sidecars }) => sidecars === 1)).at(-1)).toBe(false);
  await expect(restored(client)).rejects.toThrow('not a complete export');
  expect(await exported(client)).toMatchObject({ downloaded: 0, sidecars: 0, complete: true });
  expect(readFileSync(join(folder, 'photos.jsonl'), 'utf8')).toContain('"title":"Another"');
  await expect(photoServiceSource(folder)).resolves.toBeDefined();
});

it.each<[string, (client: PhotoService, id: number) => Promise<unknown>]>([
  ['new', (client) => imports(client, { 'b.jpg': {} })],
  ['renamed', (client, id) => client.photos.update(id, { filename: 'b.jpg' })],
  ['edited', (client, id) => client.photos.update(id, { title: 'Another' })],
  ['gone', (client, id) => client.photos.delete(id)],
  ['without its small picture', async () => rmSync(join(folder, 'thumbs'), { recursive: true })],
])('for a photo that is %s no file is changed before export.json is removed', async (_, change) => {
  const { client } = await world.client();
  await imports(client, { 'a.jpg': {} });
  await exported(client);
  const contents = () => filesIn('').map((path) => [path, readFileSync(join(folder, path), 'utf8')]);
  await change(client, (await named(client, 'a.jpg')).id);
  // It cannot be removed.
  rmSync(join(folder, 'export.json'));
  mkdirSync(join(folder, 'export.json'));
  const before = contents();
  await expect(exported(client)).rejects.toThrow('export.json');
  expect(contents()).toEqual(before);
});

it('a link among the folders of an export is not followed', async () => {
  const client = await library();
  mkdirSync(join(folder, 'photos'));
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'photos', '2024'));
  await expect(exported(client)).rejects.toThrow('is not a folder');
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
});

it.each([
  ['no export', () => undefined, 'not a complete export'],
  [
    'paths that lead out of it',
    (text: string) => text.replace('"path":"', '"path":"../../'),
    'not a list of exported photos',
  ],
  ['half a line', (text: string) => text.slice(0, -5), 'is damaged'],
])('a folder with %s is refused', async (_, change, message) => {
  const { client } = await world.client();
  await imports(client, { 'a.jpg': {} });
  await exported(client);
  const lists = join(folder, 'photos.jsonl');
  const changed = change(readFileSync(lists, 'utf8'));
  if (changed === undefined) rmSync(join(folder, 'export.json'));
  else writeFileSync(lists, changed);
  await expect(restored(client)).rejects.toThrow(message);
});

it('a file that is missing from an export is reported, and the others are imported', async () => {
  const { client } = await world.client();
  await imports(client, { 'a.jpg': {}, 'b.jpg': {} });
  await exported(client);
  rmSync(join(folder, 'photos/undated/a.jpg'));
  const { client: other } = await world.client();
  const path = join(folder, 'photos/undated/a.jpg');
  expect(await restored(other)).toMatchObject({ imported: 1, failed: [{ path, code: 'unreadable' }] });
});
