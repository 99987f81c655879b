/* @slow */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { AzureSettings } from '../../src/adapters/azure-blobs/azure-container.js';
import { forEachConcurrently } from '../../src/core/shared/for-each-concurrently.js';
import { type Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { expectSound } from '../e2e/support/sound.js';
import { withChunk } from '../support/png.js';
import { Azurite, containerEnvironment } from './support/azurite.js';
import { sendPut } from './support/send-put.js';

const PHOTOS = 200;
const LARGE_BYTES = 20_000_000;

interface Waiting {
  readonly id: number;
  readonly upload: { readonly url: string; readonly headers: Record<string, string> };
}

let azurite: Azurite;
let settings: AzureSettings;
let installation: Installation;
let client: Client;
let files: readonly { readonly filename: string; readonly bytes: Buffer }[];

beforeAll(async () => {
  azurite = await Azurite.start();
  settings = await azurite.container();
  installation = await Installation.make(containerEnvironment(settings, azurite.endpoint));
  const small = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#408040' } })
    .png()
    .toBuffer();
  // Noise cannot be compressed.
  const side = Math.ceil(Math.sqrt(LARGE_BYTES / 3));
  const raw = { width: side, height: side, channels: 3 } as const;
  const large = await sharp(randomBytes(side * side * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer();
  files = [
    { filename: 'large.png', bytes: large },
    ...Array.from({ length: PHOTOS }, (_, n) => ({
      filename: `${n}.png`,
      bytes: withChunk(small, 'tEXt', Buffer.from(`Comment\0photo ${n}`)),
    })),
  ];
  await installation.start();
  client = await installation.client();
});
afterAll(async () => {
  await installation?.remove();
  await azurite?.stop();
});

async function register(wanted: typeof files): Promise<{ importId: number; waiting: readonly Waiting[] }> {
  const importId = (await client.post('/imports')).body.id;
  const photos = wanted.map(({ filename, bytes }) => ({ filename, sizeBytes: bytes.length, sha256: sha256(bytes) }));
  const { body } = await client.post(`/imports/${importId}/photos`, { photos });
  return { importId, waiting: body.data.map(({ photo }: { photo: Waiting }) => photo) };
}

async function ended(importId: number) {
  return until('the import to end', async () => {
    const { body } = await client.get(`/imports/${importId}`);
    return body.status === 'processing' ? false : body;
  });
}

const readiness = async () => (await (await fetch(`${installation.url}/readyz`)).json()) as { checks: object };

test('F11: 200 photos and one of 20 MB arrive byte for byte through an outage of the store, which ends without a restart', async () => {
  expect(files[0]?.bytes.length).toBeGreaterThan(LARGE_BYTES);
  const { importId, waiting } = await register(files);
  let left = waiting.map((item, n) => ({ item, bytes: files[n]?.bytes as Buffer }));
  let received = 0;
  let outage: Promise<void> | null = null;
  const sendAll = async () => {
    const refused: typeof left = [];
    async function* each() {
      yield* left;
    }
    await forEachConcurrently(each(), 6, async (one) => {
      const { status, body } = await client.upload(one.item.upload, one.bytes);
      if (status === 204) received += 1;
      else {
        expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
        refused.push(one);
      }
      if (received >= PHOTOS / 2) outage ??= azurite.interrupt();
    });
    left = refused;
  };
  await sendAll();
  await outage;
  expect(left.length).toBeGreaterThan(0);
  const begun = performance.now();
  const refused = await client.upload(left[0]?.item.upload as Waiting['upload'], left[0]?.bytes as Buffer);
  // The promise itself, not a measure of speed.
  expect([refused.status, performance.now() - begun < 60_000]).toEqual([503, true]);
  expect(await readiness()).toMatchObject({ checks: { blobs: 'degraded' } });
  expect((await client.get(`/imports/${importId}`)).status).toBe(200);
  await azurite.startAgain();
  await until('the service to see the store again', async () => {
    await sendAll();
    return left.length === 0;
  });
  expect(await readiness()).toMatchObject({ checks: { blobs: 'ok' } });
  await client.post(`/imports/${importId}/finalize`);
  expect(await ended(importId)).toMatchObject({ status: 'completed', counts: { imported: files.length } });
  const byHash = new Map(files.map(({ bytes }) => [sha256(bytes), bytes]));
  let compared = 0;
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await client.get(`/photos?limit=100${cursor && `&cursor=${cursor}`}`)).body;
    for (const photo of data) {
      const bytes = byHash.get(photo.sha256);
      expect(bytes?.equals(Buffer.from(await client.bytes(`/photos/${photo.id}/download`)))).toBe(true);
      compared += 1;
    }
    if (!pagination.hasMore) break;
    cursor = pagination.nextCursor;
  }
  expect(compared).toBe(files.length);
  await expectSound(installation);
  expect(readdirSync(installation.dataDir)).not.toContain('blobs');
});

test('phs doctor uses the store and names it; neither its file for others nor the log has a secret', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phs-doctor-'));
  const file = join(folder, 'support.json');
  const { stdout, stderr } = await installation.command('doctor', '--bundle', file);
  expect(stdout).toContain(`the container ${settings.container} of the account ${settings.account}`);
  const connection = `AccountName=${settings.account};AccountKey=${settings.key};BlobEndpoint=http://127.0.0.1:1/${settings.account}`;
  const unreachable = {
    AZURE_STORAGE_ACCOUNT: '',
    AZURE_STORAGE_KEY: '',
    AZURE_ENDPOINT: '',
    AZURE_STORAGE_CONNECTION_STRING: connection,
  };
  const failing = await installation.commandWith(unreachable, 'doctor', '--bundle', `${file}.2`);
  expect(failing.stdout).toContain('Check AZURE_*');
  const bundles = [file, `${file}.2`].map((path) => readFileSync(path, 'utf8'));
  for (const text of [stdout, stderr, failing.stdout, failing.stderr, ...bundles, installation.printed()]) {
    expect(text).not.toContain(settings.key);
    expect(text).not.toMatch(/[?&]sig=/);
  }
  expect(JSON.parse(String(bundles[0])).settings).toMatchObject({ BLOB_STORE: 'azure', AZURE_STORAGE_KEY: '(set)' });
  rmSync(folder, { recursive: true });
});

test('phs blobs copy copies from one container into another, which the TO_ settings name', async () => {
  // An inspection that the outage met between its result and its thumb may store that one still.
  await installation.stop();
  const target = await azurite.container();
  const settingsOfTarget = { TO_AZURE_STORAGE_KEY: target.key, AZURE_STORAGE_KEY: settings.key };
  const copy = () =>
    installation.commandWith(settingsOfTarget, 'blobs', 'copy', '--to', `azure://${target.container}`, '--json');
  const first = JSON.parse((await copy()).stdout);
  expect(first).toMatchObject({ ok: true, unchanged: 0, wrong: [] });
  expect(first.copied).toBeGreaterThanOrEqual(2 * files.length);
  expect(JSON.parse((await copy()).stdout)).toMatchObject({ ok: true, copied: 0, unchanged: first.copied });
  const wrong = await installation.commandWith(
    { TO_AZURE_STORAGE_KEY: 'd3Jvbmc=' },
    'blobs',
    'copy',
    '--to',
    'azure://x',
  );
  expect(wrong.status).toBe(4);
});

test('where clients reach the account, bytes go straight to it, and the worker decides what they are', async () => {
  const direct = installation.with({
    ...containerEnvironment(settings, azurite.endpoint),
    AZURE_PUBLIC_ENDPOINT: azurite.endpoint,
  });
  await direct.start();
  try {
    const sound = { filename: 'sound.jpg', bytes: readFileSync(join(__dirname, '../fixtures/photos/cyclamen.jpg')) };
    const short = { filename: 'short.jpg', bytes: readFileSync(join(__dirname, '../fixtures/photos/rating-xmp.jpg')) };
    const other = {
      filename: 'other.jpg',
      bytes: readFileSync(join(__dirname, '../fixtures/photos/nokia83-gps-offset.jpg')),
    };
    const { importId, waiting } = await register([sound, short, other]);
    const changed = Buffer.from(other.bytes);
    changed.fill(7, 1000, 2000);
    for (const [n, bytes] of [sound.bytes, short.bytes.subarray(0, 1000), changed].entries()) {
      const { url, headers } = (waiting[n] as Waiting).upload;
      expect(url.startsWith(`${azurite.endpoint}/${settings.container}/staging/`)).toBe(true);
      expect(await sendPut(url, { ...headers, 'content-length': String(bytes.length) }, bytes)).toBe(201);
    }
    await client.post(`/imports/${importId}/finalize`);
    await ended(importId);
    const { photos } = (await client.get(`/imports/${importId}?include=photos`)).body;
    expect(
      photos.data.map(({ status, error }: { status: string; error: { code: string } | null }) => [status, error?.code]),
    ).toEqual([
      ['imported', undefined],
      ['failed', 'size_mismatch'],
      ['failed', 'checksum_mismatch'],
    ]);
    const [{ photoId }] = photos.data;
    expect(sound.bytes.equals(Buffer.from(await client.bytes(`/photos/${photoId}/download`)))).toBe(true);
    await expectSound(direct);
  } finally {
    await direct.stop();
  }
});
