import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Photo, PhotoService } from 'photo-service-sdk';
import { exportLibrary } from '../../cli/src/export/export-library.js';
import { restoreExport } from '../../cli/src/export/restore-export.js';
import { openZip, wholeOf } from '../../cli/src/sources/archive.js';
import { storedKey } from '../../src/core/blobs/blob-key.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import type { Role } from '../../src/core/users/user.js';
import { createWebhookEndpoint } from '../../src/core/webhooks/endpoints.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { type Actor } from '../api/support/start-app.js';
import { SdkWorld } from '../sdk/support/service.js';
import { present } from '../support/tenant.js';
import { comparable, fillLibrary, imports, named } from './exported-library.js';

const PATH = '/settings/account/export/library.zip';
const MAX_BYTES = 1024 * 1024;

let world: SdkWorld;
let folder: string;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-archive-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const { signal } = new AbortController();

async function browserOf(actor: Actor, role: Role = 'owner'): Promise<BrowserClient> {
  const browser = new BrowserClient(world.app.url);
  await browser.enter(world.app.ports, actor.customerId, role, `${role}.${actor.customerId}@example.com`);
  return browser;
}

/** Downloads the archive and unpacks it into the folder. */
async function unpacked(actor: Actor): Promise<void> {
  const { status, headers, bytes } = await (await browserOf(actor)).get(PATH);
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/zip', 'no-store']);
  expect(headers['content-disposition']).toBe('attachment; filename="library.zip"');
  const zip = join(tmpdir(), `phs-archive-${actor.customerId}.zip`);
  writeFileSync(zip, bytes);
  const archive = await openZip(zip);
  for (const file of archive.files) {
    const path = join(folder, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await wholeOf(file, MAX_BYTES));
  }
  await archive.close();
  rmSync(zip);
}

const restored = (client: PhotoService) =>
  restoreExport(client, folder, { stateFile: join(folder, '.state', 'state.json'), signal });
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

it('an archive that is unpacked and brought into an empty library is equal in every field', async () => {
  const { client, actor } = await world.client();
  await fillLibrary(client);
  await unpacked(actor);
  const { client: other } = await world.client();
  expect(await restored(other)).toMatchObject({ imported: 8, failed: [], losses: [], differences: [] });
  expect(await comparable(other)).toEqual(await comparable(client));
  expect(await other.tags.named('Paris')).toMatchObject({ color: '#3366ff', description: 'La ville', photoCount: 1 });
  const photo = await named(other, 'a.jpg');
  expect(await other.imports.get(photo.importId as number)).toMatchObject({ name: 'First', source: 'test' });
});

it('the archive of a library has the same files as phs export, with checksums of all originals and sidecars', async () => {
  const { client, actor } = await world.client();
  await fillLibrary(client);
  await unpacked(actor);
  const exported = mkdtempSync(join(tmpdir(), 'phs-export-'));
  await exportLibrary(client, exported, { by: 'date', signal, onStep: () => undefined });
  // API keys cannot read the settings of webhooks.
  expect(filesIn(folder).filter((file) => file !== 'webhooks.jsonl')).toEqual(filesIn(exported));
  const linesOf = (text: string) => text.trim().split('\n').sort();
  for (const name of [
    'photos.jsonl',
    'tags.jsonl',
    'imports.jsonl',
    'SHA256SUMS',
    'index.html',
    'pages/2024-12.html',
  ]) {
    expect([name, linesOf(read(name))]).toEqual([name, linesOf(readFileSync(join(exported, name), 'utf8'))]);
  }
  for (const line of linesOf(read('SHA256SUMS'))) {
    const hash = createHash('sha256').update(readFileSync(join(folder, line.slice(66))));
    expect(hash.digest('hex')).toBe(line.slice(0, 64));
  }
  expect(JSON.parse(read('export.json'))).toMatchObject({ counts: { photos: 8, tags: 3, imports: 3 }, missing: [] });
  rmSync(exported, { recursive: true });
});

it('the archive of a library has the settings of webhooks, and no secret', async () => {
  const { actor } = await world.client();
  const settings = { url: 'https://example.com/hooks', description: 'Orders', events: ['photo.created'] as const };
  const made = await createWebhookEndpoint(world.app.ports, operatorFor(actor.customerId), settings);
  await unpacked(actor);
  expect(JSON.parse(read('webhooks.jsonl'))).toEqual({ ...settings, status: 'enabled' });
  expect(read('webhooks.jsonl')).not.toContain(made.secret);
});

it('the archive of an empty library is valid, too', async () => {
  const { client, actor } = await world.client();
  await unpacked(actor);
  expect(read('index.html')).toContain('0 photos');
  expect(await restored(client)).toMatchObject({ imported: 0, failed: [] });
});

it('the archive of a library omits photos in the trash, and names those whose originals are missing', async () => {
  const { client, actor } = await world.client();
  await imports(client, { 'a.jpg': {}, 'gone.jpg': {}, 'lost.jpg': {}, 'trashed.jpg': {} });
  await client.photos.delete((await named(client, 'trashed.jpg')).id);
  const [gone, lost] = [await named(client, 'gone.jpg'), await named(client, 'lost.jpg')];
  const { store, blobs } = world.app.ports;
  const stored = (id: number) => store.query(actor.customerId, ({ photos }) => photos.get(id)).then(present);
  await blobs.delete([storedKey((await stored(gone.id)).blobKey)]);
  await store.transaction(actor.customerId, async ({ photos }) => {
    const [photo] = await photos.lock([lost.id]);
    await photos.update({ ...present(photo), originalLostAt: new Date() });
  });
  await unpacked(actor);
  const { missing, counts } = JSON.parse(read('export.json'));
  expect(counts.photos).toBe(1);
  const expected = [gone, lost].map(({ id, filename, sha256 }) => ({ id, filename, sha256 }));
  expect(missing).toEqual(expected);
  expect(filesIn(join(folder, 'photos'))).toEqual(['undated/a.jpg', 'undated/a.jpg.xmp']);
});

it('the archive of a library omits photos that are permanently deleted meanwhile, without naming them', async () => {
  const { client, actor } = await world.client();
  await imports(client, { 'a.jpg': {}, 'b.jpg': {}, 'c.jpg': {}, 'd.jpg': {} });
  const [first, next, own, last] = (await client.photos.list({ sort: 'id' }).toArray()).map(present);
  const { store, blobs } = world.app.ports;
  const keyOf = async (photo: Photo | undefined) => {
    const { blobKey } = present(await store.query(actor.customerId, ({ photos }) => photos.get(present(photo).id)));
    return storedKey(blobKey);
  };
  /** What is deleted when an original is opened: the next one, and itself. */
  const deletions = new Map([
    [await keyOf(first), present(next).id],
    [await keyOf(own), present(own).id],
  ]);
  const get = blobs.get.bind(blobs);
  blobs.get = async (key, range) => {
    const id = deletions.get(key);
    if (id !== undefined) await client.photos.delete(id, { permanent: true });
    deletions.delete(key);
    return get(key, range);
  };
  try {
    await unpacked(actor);
  } finally {
    blobs.get = get;
  }
  expect(deletions.size).toBe(0);
  const { missing, counts } = JSON.parse(read('export.json'));
  expect([missing, counts.photos]).toEqual([[], 2]);
  const names = [first, last].map((photo) => `undated/${present(photo).filename}`);
  expect(filesIn(join(folder, 'photos'))).toEqual(names.flatMap((name) => [name, `${name}.xmp`]).sort());
});

it('a failure in the middle of an archive cuts the connection, so that the archive is incomplete', async () => {
  const { client, actor } = await world.client();
  await imports(client, { 'a.jpg': {}, 'b.jpg': {}, 'c.jpg': {} });
  const { store, blobs } = world.app.ports;
  const { id } = await named(client, 'b.jpg');
  const { blobKey, sizeBytes } = present(await store.query(actor.customerId, ({ photos }) => photos.get(id)));
  // Bytes of the right length that are not those that were uploaded.
  await blobs.delete([storedKey(blobKey)]);
  await blobs.put(storedKey(blobKey), [Buffer.alloc(sizeBytes)] as never);
  const browser = await browserOf(actor);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const outcome = await new Promise<{ status: number; bytes: number; ended: boolean }>((resolve) => {
    request(`${world.app.url}${PATH}`, { headers: { cookie } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve({ status: response.statusCode ?? 0, bytes, ended: response.complete }));
    }).end();
  });
  expect(outcome).toMatchObject({ status: 200, ended: false });
  expect(outcome.bytes).toBeGreaterThan(0);
});

it('the archive of a library is for owners only, and each download is in the audit log', async () => {
  const { actor } = await world.client();
  const member = await browserOf(actor, 'editor');
  expect((await member.get(PATH)).status).toBe(403);
  expect((await member.get('/settings/account')).text).not.toContain(PATH);
  const owner = await browserOf(actor);
  expect((await owner.get('/settings/account')).text).toContain(`href="${PATH}" download`);
  expect((await owner.send({ method: 'HEAD', path: PATH })).status).toBe(200);
  expect((await owner.get('/settings/audit')).text).not.toContain('library.zip');
  await owner.get(PATH);
  expect((await owner.get('/settings/audit')).text).toContain('library.zip');
});
