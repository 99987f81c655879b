/* @slow @rest */
import { SourceServer, serve } from '../support/source-server.js';
import { type Client, sha256 } from './support/client.js';
import { Failpoints } from './support/failpoints.js';
import { photoNamed } from './support/life.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { collectGarbage, expectSound } from './support/sound.js';

const MIB = 1024 ** 2;

/** Each step of a fetch that changes something; those before which few files arrive come first. */
const steps = [
  'fetch:takeStoredSource/store.transaction',
  'fetch:reserveSourceBytes/store.transaction',
  'fetch:release/store.transaction',
  'fetch:begin/store.transaction',
  'fetch:begin/blobs.delete',
  'resumable:storePart/blobs.put',
  'resumable:replaceParts/store.transaction',
  'resumable:complete/blobs.delete',
  'resumable:forget/store.transaction',
  'upload:storeDeclaredBytes/blobs.put',
  'upload:receiveStagedBytes/store.transaction',
  'fetch:forget/store.transaction',
];

/**
 * Every third one is larger than a part, and the connection breaks the first two times. Not more often: who is killed between two steps
 * may begin anew, and what fails for the third time waits for two minutes.
 */
const FILES = 30;
const files = Array.from({ length: FILES }, (_, at) => {
  const photo = photoNamed(`fetched ${at}`);
  if (at % 3 > 0) return { name: `${at}.jpg`, bytes: photo };
  // What comes after the end of a picture no decoder looks at.
  const bytes = new Uint8Array(9 * MIB);
  bytes.set(photo);
  return { name: `${at}.jpg`, bytes };
});

/** A killed process holds a fetch for 30 s, its tries are up to 6 and 38 s apart, and then an inspection can be held for 60. */
const LONGEST_WAIT_SECONDS = 200;

let server: SourceServer;
let installation: Installation;
let client: Client;
let importId: number;
let failpoints: Failpoints;
beforeAll(async () => {
  server = await SourceServer.start();
  for (const { name, bytes } of files) {
    let breaks = bytes.length > MIB ? 2 : 0;
    server.on(
      `/${name}`,
      serve(() => ({ bytes, breaksAfter: breaks-- > 0 ? bytes.length - 1000 : bytes.length })),
    );
  }
  installation = await Installation.make({ FETCH_ALLOW_PRIVATE: 'true' });
  failpoints = new Failpoints(installation);
  await installation.start();
  client = await installation.client();
  importId = (await client.post('/imports')).body.id;
  await installation.stop();
});
afterAll(async () => {
  await installation.stop();
  await installation.remove();
  await server.close();
});

afterEach(() => installation.stop());

describe('docs/reliability.md F31: kill -9 right after each step of fetching, before it is reported', () => {
  it('register:registerAll/store.transaction', async () => {
    await installation.start(failpoints.settings);
    failpoints.arm('register:registerAll/store.transaction');
    const photos = files.map(({ name }) => ({
      filename: name,
      clientRef: name,
      sourceUrl: server.url(`/${name}?key=secret`),
    }));
    const lost = client.post(`/imports/${importId}/photos`, { photos }).catch(() => null);
    await installation.end();
    await lost;
  });

  it.each(steps)('%s', async (step) => {
    // What is due may be fetched, and end it, before it is ready.
    failpoints.arm(step);
    await installation.start(failpoints.settings).catch(() => undefined);
    await installation.end();
  });

  it('covers all steps of fetching, and every file arrives', async () => {
    failpoints.disarm();
    await installation.start(failpoints.settings);
    const { body } = await client.post(`/imports/${importId}/finalize`);
    expect(body.counts).toMatchObject({ total: FILES, failed: 0, awaitingUpload: 0 });
    const isOver = async () => (await client.get(`/imports/${importId}`)).body.status !== 'processing';
    await until('the import to end', isOver, LONGEST_WAIT_SECONDS);
    const { photos, status } = (await client.get(`/imports/${importId}?include=photos&limit=100`)).body;
    expect(status).toBe('completed');
    for (const { photoId, filename, sha256: hash } of photos.data) {
      const bytes = files.find(({ name }) => name === filename)?.bytes ?? new Uint8Array();
      expect([filename, hash]).toEqual([filename, sha256(bytes)]);
      expect(sha256(await client.bytes(`/photos/${photoId}/download`))).toBe(hash);
    }
    const ofFetches = failpoints.seen().filter((step) => /^fetch:/.test(step));
    expect(steps).toEqual(expect.arrayContaining(ofFetches));
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
  }, 300_000);
});
