/* @rest */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Photo, PhotoService } from 'photo-service-sdk';
import sharp from 'sharp';
import { PHOTOS } from '../../cli/src/export/export-format.js';
import { exportLibrary } from '../../cli/src/export/export-library.js';
import { restoreExport } from '../../cli/src/export/restore-export.js';
import { folderSource } from '../../cli/src/sources/folder-source.js';
import { importSource } from '../../cli/src/sources/import-source.js';
import { sidecarText } from '../../cli/src/xmp/sidecar.js';
import { Installation } from './support/service.js';

const photos = join(__dirname, '../fixtures/photos');
const { signal } = new AbortController();

let installation: Installation;
let folder: string;
beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  folder = mkdtempSync(join(tmpdir(), 'phs-export-'));
});
afterAll(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function phs(...args: string[]) {
  const { status, stdout } = await installation.operate(...args, '--json');
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

/** A customer of its own, with the limits that every key has. */
async function customer(name: string): Promise<{ id: number; client: PhotoService }> {
  const { id } = await phs('customer', 'create', '--name', name, '--time-zone', 'Asia/Tokyo');
  const key = await phs('key', 'create', '--customer', String(id), '--name', 'key', '--scopes', 'all');
  return { id, client: new PhotoService({ baseUrl: installation.url, token: key.token }) };
}

const all = async (client: PhotoService) => client.photos.list({ limit: 100 }).toArray();

/** Everything of the photos but ids and times of change. */
const comparable = (found: readonly Photo[]) =>
  found
    .map(({ id: _, importId: __, createdAt: ___, updatedAt: ____, version: _____, tags, ...photo }) => ({
      ...photo,
      tags: tags.map(({ name }) => name),
    }))
    .sort((a, b) => (a.filename < b.filename ? -1 : 1));

it('a library that is exported, erased and imported has every photo equal in bytes and in every field', async () => {
  const library = join(folder, 'library');
  mkdirSync(library);
  cpSync(photos, library, { recursive: true });
  const time = { takenAt: null, takenAtLocal: null, location: null };
  const said = { title: 'T', description: 'D', rating: 3, favorite: false, creator: null, copyright: null };
  const described = { ...said, ...time };
  const sidecar = sidecarText({ ...described, tags: [{ id: 1, name: 'Places/Spain' }], metadata: {} });
  writeFileSync(join(library, 'silver-fir.jpg.xmp'), sidecar);

  const plain = sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } });
  writeFileSync(join(library, 'IMG_20240615_101112.jpg'), await plain.jpeg().toBuffer());

  const { id, client } = await customer('exported');
  const settings = (name: string) => ({ stateFile: join(folder, `${name}.json`), signal });
  const source = folderSource([library], { sidecars: true });
  const named = { name: 'Samples', dateFromFilename: true };
  const imported = await importSource(client, source, { ...settings('first'), tagNames: ['Samples'], ...named });
  expect(imported.imported).toBeGreaterThan(35);
  const found = await all(client);
  const edited = (name: string) => (found.find(({ filename }) => filename === name) as Photo).id;
  await client.photos.update(edited('cyclamen.jpg'), {
    rotation: 270,
    focus: { x: 0.1, y: 0.9 },
    title: null,
    takenAt: null,
    favorite: true,
    creator: 'Ada; Bo',
    copyright: null,
  });
  expect(found.map(({ takenAtSource }) => takenAtSource)).toContain('filename');
  await client.photos.update(edited('gps-west.jpg'), { location: null, takenAt: '2020-02-29T12:00:00.5-03:30' });
  const before = comparable(await all(client));

  const exported = join(folder, 'exported');
  const options = { by: 'date' as const, signal, onStep: () => undefined };
  expect(await exportLibrary(client, exported, options)).toMatchObject({ complete: true, photos: before.length });
  await phs('customer', 'erase', String(id), '--yes');

  const { client: other } = await customer('restored');
  const result = await restoreExport(other, exported, settings('second'));
  expect(result).toMatchObject({ imported: before.length, failed: [], losses: [], differences: [] });
  expect(comparable(await all(other))).toEqual(before);

  // As a release before these fields has exported it.
  const lines = readFileSync(join(exported, PHOTOS), 'utf8').trimEnd().split('\n');
  const older = lines.map((line) => {
    const { favorite: _, creator: __, copyright: ___, keywords: ____, ...photo } = JSON.parse(line);
    return `${JSON.stringify(photo)}\n`;
  });
  writeFileSync(join(exported, PHOTOS), older.join(''));
  const { client: third } = await customer('restored from before');
  expect(await restoreExport(third, exported, settings('third'))).toMatchObject({ failed: [], differences: [] });
});
