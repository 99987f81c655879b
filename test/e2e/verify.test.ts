/* @slow @rest */
import { readdirSync, readFileSync } from 'node:fs';
import { open, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, sha256 } from './support/client.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { collectGarbage, expectSound, verification } from './support/sound.js';

const folder = join(__dirname, '../fixtures/photos');
const files = readdirSync(folder)
  .filter((name) => name.startsWith('orientation-'))
  .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(folder, name))) }));

/** Every stored file of a kind, with its path. */
async function stored(installation: Installation, kind: string): Promise<string[]> {
  const root = join(installation.dataDir, 'blobs', kind);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

async function importAll(client: Client): Promise<{ id: number; sha256: string }[]> {
  const { id } = (await client.post('/imports')).body;
  expect((await client.inline(id, files)).status).toBe(201);
  await client.post(`/imports/${id}/finalize`);
  await until('the import to end', async () => (await client.get(`/imports/${id}`)).body.status === 'completed');
  return (await client.get('/photos?sort=id')).body.data;
}

async function flipByte(file: string, position: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const byte = new Uint8Array(1);
    await handle.read(byte, 0, 1, position);
    await handle.write(Uint8Array.of((byte[0] ?? 0) ^ 1), 0, 1, position);
  } finally {
    await handle.close();
  }
}

describe('phs verify and phs gc', () => {
  let installation: Installation;
  let client: Client;
  beforeEach(async () => {
    installation = await Installation.make();
    await installation.start();
    client = await installation.client();
  });
  afterEach(() => installation.remove());

  /** The file of an original, found by what lies in it. */
  async function originalOf(photo: { sha256: string }): Promise<string> {
    for (const file of await stored(installation, 'originals')) {
      if (sha256(readFileSync(file)) === photo.sha256) return file;
    }
    throw new Error('the original is not stored');
  }

  it('F14: name exactly the photos whose originals are missing, changed or truncated', async () => {
    const photos = await importAll(client);
    expect(await verification(installation)).toMatchObject({
      ok: true,
      problems: [],
      checked: { photos: 11, items: 0 },
    });
    const [gone, flipped, short, trashed] = photos.slice(1);
    if (!gone || !flipped || !short || !trashed) throw new Error('too few photos');
    await client.delete(`/photos/${trashed.id}`);
    await rm(await originalOf(gone));
    await flipByte(await originalOf(flipped), 1000);
    await truncate(await originalOf(short), 1000);
    await rm(await originalOf(trashed));
    const { ok, problems } = await verification(installation);
    expect(ok).toBe(false);
    expect(problems.map(({ invariant, photoId }) => `${invariant} ${photoId}`)).toEqual(
      [gone, flipped, short, trashed].map(({ id }) => `I1 ${id}`),
    );
    expect((await installation.command('verify')).status).toBe(1);
    // Sizes only: the flipped one is not seen.
    expect((await verification(installation, '--fast')).problems.map(({ photoId }) => photoId)).toEqual([
      gone.id,
      short.id,
      trashed.id,
    ]);
    // What differs is never sent to its end, and once it is marked it is not begun.
    const download = (range = {}) => client.get(`/photos/${flipped.id}/download`, range);
    const outcome = await download().then(
      ({ status }) => status,
      () => 'cut off',
    );
    expect([503, 'cut off']).toContain(outcome);
    expect((await verification(installation, '--repair')).problems).toHaveLength(4);
    const refused = { status: 503, body: { error: { code: 'service_unavailable' } } };
    expect(await download()).toMatchObject(refused);
    expect(await download({ Range: 'bytes=0-9' })).toMatchObject(refused);
    const shown = (await client.get('/photos?trashed=any&sort=id')).body.data;
    const lost = shown.filter((photo: { originalLostAt: string | null }) => photo.originalLostAt !== null);
    expect(lost.map(({ id }: { id: number }) => id)).toEqual([gone, flipped, short, trashed].map(({ id }) => id));

    // The same files once more bring the originals back, and the trashed photo with its own.
    expect(await importAll(client)).toHaveLength(11);
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
    for (const { id, sha256: expected } of photos) {
      expect(sha256(await client.bytes(`/photos/${id}/download`))).toBe(expected);
    }
  });

  it('collect what a discarded import leaves, and nothing else', async () => {
    const photos = await importAll(client);
    const { id } = (await client.post('/imports', { duplicatePolicy: 'allow' })).body;
    expect((await client.inline(id, files)).status).toBe(201);
    await until('inspection', async () => (await client.get(`/imports/${id}`)).body.counts.ready === 11);
    expect(await collectGarbage(installation)).toEqual({ staging: 0, originals: 0, renditions: 0 });
    await expectSound(installation, { graceSeconds: 0 });
    await client.post(`/imports/${id}/finalize`, { action: 'discard' });
    await expectSound(installation);
    expect((await verification(installation, '--grace', '0')).problems.length).toBe(22);
    expect(await collectGarbage(installation, 3600)).toEqual({ staging: 0, originals: 0, renditions: 0 });
    expect(await collectGarbage(installation)).toEqual({ staging: 0, originals: 11, renditions: 11 });
    await expectSound(installation, { graceSeconds: 0 });
    expect(await stored(installation, 'originals')).toHaveLength(11);
    for (const photo of photos) await client.bytes(`/photos/${photo.id}/download`);
  });

  it('make missing thumbs again', async () => {
    await importAll(client);
    for (const thumb of await stored(installation, 'renditions')) await rm(thumb);
    expect(await verification(installation)).toMatchObject({
      ok: true,
      checked: { missingThumbs: 11, remadeThumbs: 0 },
    });
    expect(await verification(installation, '--repair')).toMatchObject({ ok: true, checked: { remadeThumbs: 11 } });
    expect(await stored(installation, 'renditions')).toHaveLength(11);
  });
});
