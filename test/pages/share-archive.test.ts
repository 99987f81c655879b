import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openZip, wholeOf } from '../../cli/src/sources/archive.js';
import { inOneChunk } from '../../src/core/blobs/blob-bytes.js';
import { storedKey } from '../../src/core/blobs/blob-key.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createShare, revokeShare } from '../../src/core/shares/own-shares.js';
import { ARCHIVES_OF_VISITOR } from '../../src/core/shares/visitors.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { contentDispositionOf, importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { sampleImport, samplePhoto, sampleTag } from '../support/samples.js';
import { present } from '../support/tenant.js';

let app: RunningApp;
let actor: Actor;
let visitor: BrowserClient;
let folder: string;

beforeEach(async () => {
  app = await startApp();
  actor = await app.customer('Studio North');
  visitor = new BrowserClient(app.url);
  folder = mkdtempSync(join(tmpdir(), 'phs-share-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const put = (blobKey: string, bytes: Uint8Array) => app.ports.blobs.put(storedKey(blobKey), inOneChunk(bytes));

/** The archive of everything that these photos, or those with a tag, are. */
async function share(contents: { photoIds?: number[]; tagId?: number }) {
  const settings = {
    title: 'Paris: 2026',
    mayDownload: true,
    uploadFilesLimit: 0,
    uploadBytesLimit: 0,
    expiresAt: null,
    password: null,
  };
  const created = await createShare(app.ports, operatorFor(actor.customerId), { ...settings, ...contents });
  return { id: created.share.id, path: `/s/${created.token}/archive.zip` };
}

const bring = (...names: string[]) =>
  importPhotos(
    app,
    actor,
    names.map((name) => ({ filename: 'same.jpg', content: picture(name) })),
  );

/** Path and hash of each file, as another program reads them. */
async function unpacked(bytes: Uint8Array): Promise<[string, string][]> {
  const file = join(folder, 'a.zip');
  writeFileSync(file, bytes);
  const archive = await openZip(file);
  const files: [string, string][] = [];
  for (const entry of archive.files) files.push([entry.path, sha256(await wholeOf(entry, 1_000_000))]);
  await archive.close();
  return files;
}

test('the archive of a tag has the bytes of all its 2,000 originals, and the size that was announced', async () => {
  const photos = Array.from({ length: 2000 }, (_, at) => ({
    bytes: Buffer.from(`original ${at} `.repeat(1 + (at % 50))),
  }));
  const tagId = await app.ports.store.transaction(actor.customerId, async ({ tags, imports, photos: repository }) => {
    const tag = present(await tags.insert(sampleTag('Paris')));
    const { id: importId } = present(await imports.insert(sampleImport(actor.customerId)));
    const rows = photos.map(({ bytes }, at) => ({
      photo: samplePhoto(actor.customerId, at + 1, { sizeBytes: bytes.length, sha256: sha256(bytes), importId }),
      tagIds: [tag.id],
      exif: {},
    }));
    await repository.insertMany(rows);
    for (const [at, { photo }] of rows.entries()) await put(photo.blobKey, present(photos[at]).bytes);
    return tag.id;
  });
  const { path } = await share({ tagId });
  const { status, headers, bytes } = await visitor.get(path);
  expect([status, headers['content-type'], Number(headers['content-length'])]).toEqual([
    200,
    'application/zip',
    bytes.length,
  ]);
  expect(await unpacked(bytes)).toEqual(photos.map((photo, at) => [`IMG_${at + 1}.jpg`, sha256(photo.bytes)]));
});

test('photos of one name get names of their own, and the archive that of the share', async () => {
  const photos = await bring('a', 'b');
  const { path } = await share({ photoIds: photos.map(({ id }) => id) });
  const answer = await visitor.get(path);
  expect(contentDispositionOf(answer)).toEqual({ type: 'attachment', filename: 'Paris_ 2026.zip' });
  const names = ['same.jpg', `same (${photos[1].id}).jpg`];
  expect(await unpacked(answer.bytes)).toEqual(names.map((name, at) => [name, photos[at].sha256]));
});

test('a download that broke off continues where it was, unless the photos have changed', async () => {
  const photos = await bring('a', 'b', 'c');
  const { path } = await share({ photoIds: photos.map(({ id }) => id) });
  const { headers, bytes } = await visitor.get(path);
  const tag = String(headers.etag);
  expect(headers['accept-ranges']).toBe('bytes');
  const cuts = [0, 1, 29, 40, Math.floor(bytes.length / 2), bytes.length - 22, bytes.length - 1];
  for (const start of cuts) {
    const rest = await visitor.get(path, { range: `bytes=${start}-`, 'if-range': tag });
    expect([rest.status, rest.headers.etag]).toEqual([206, tag]);
    expect(Buffer.concat([bytes.subarray(0, start), rest.bytes]).equals(bytes)).toBe(true);
  }
  const middle = await visitor.get(path, { range: 'bytes=10-99' });
  expect(middle.bytes.equals(bytes.subarray(10, 100))).toBe(true);
  expect((await visitor.get(path, { range: `bytes=${bytes.length}-` })).status).toBe(416);
  expect((await visitor.get(path, { 'if-none-match': tag })).status).toBe(304);
  await actor.delete(`/photos/${photos[1].id}`);
  const changed = await visitor.get(path, { range: 'bytes=100-', 'if-range': tag });
  expect([changed.status, changed.headers.etag === tag]).toEqual([200, false]);
  expect((await unpacked(changed.bytes)).map(([, hash]) => hash)).toEqual([photos[0].sha256, photos[2].sha256]);
});

test('a lost original is left out of the archive, and one with other bytes than uploaded breaks the download off', async () => {
  const photos = await bring('a', 'b');
  const { path } = await share({ photoIds: photos.map(({ id }) => id) });
  const keyOf = async (id: number) =>
    present(await app.ports.store.query(actor.customerId, (reader) => reader.photos.get(id))).blobKey;
  const good = picture('b');
  await put(
    await keyOf(photos[1].id),
    Uint8Array.from(good, (byte, at) => (at === good.length - 1 ? byte ^ 1 : byte)),
  );
  await expect(visitor.get(path)).rejects.toThrow();
  await app.ports.store.transaction(actor.customerId, async ({ photos: repository }) => {
    const [photo] = await repository.lock([photos[1].id]);
    await repository.update({ ...present(photo), originalLostAt: app.clock.now() });
  });
  expect((await unpacked((await visitor.get(path)).bytes)).map(([, hash]) => hash)).toEqual([photos[0].sha256]);
});

test('the archive of a share ends, incomplete, once the share is revoked', async () => {
  const photos = await bring('a', 'b');
  const { id, path } = await share({ photoIds: photos.map((photo) => photo.id) });
  const { blobs } = app.ports;
  const get = blobs.get.bind(blobs);
  let opened = 0;
  blobs.get = async (...given) => {
    opened += 1;
    if (opened === 1) await revokeShare(app.ports, operatorFor(actor.customerId), id);
    return get(...given);
  };
  await expect(visitor.get(path)).rejects.toThrow();
  expect(opened).toBe(1);
});

test('an address gets a limited number of archives in a minute', async () => {
  const [photo] = await bring('a');
  const { path } = await share({ photoIds: [photo.id] });
  for (let used = 0; used < ARCHIVES_OF_VISITOR; used += 1) {
    await app.ports.rateWindows.hit({ name: 'archives:127.0.0.1', limit: ARCHIVES_OF_VISITOR });
  }
  expect((await visitor.get(path)).status).toBe(429);
});
