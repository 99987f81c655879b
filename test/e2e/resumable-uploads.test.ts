/* @slow @rest */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Upload } from 'tus-js-client';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { type Client, sha256 } from './support/client.js';
import { Failpoints } from './support/failpoints.js';
import { photoNamed } from './support/life.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { collectGarbage, expectSound } from './support/sound.js';

const CLI = join(__dirname, '../../cli/dist/phs.js');
const MIB = 1024 ** 2;
/** Seven of them are a photo. */
const PIECE_BYTES = 800;

/** Each step of an upload in several requests that changes something. */
const steps = [
  'resumable:claimUpload/store.transaction',
  'resumable:complete/blobs.delete',
  'resumable:forget/store.transaction',
  'resumable:replaceParts/store.transaction',
  'resumable:storePart/blobs.put',
  'upload:receiveStagedBytes/store.transaction',
  'upload:storeDeclaredBytes/blobs.put',
];

let installation: Installation;
let client: Client;
/** Printed by the first start alone. */
let token: string;
beforeAll(async () => {
  installation = await Installation.make({ MAX_FILE_BYTES: String(200 * MIB) });
  await installation.start();
  client = await installation.client();
  token = installation.token() ?? 'no token was printed';
  await installation.stop();
});
afterAll(() => installation.remove());

async function registered(bytes: Uint8Array) {
  const { body } = await client.post('/imports');
  const photo = { filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) };
  const { data } = (await client.post(`/imports/${body.id}/photos`, { photos: [photo] })).body;
  return { importId: body.id as number, url: data[0].photo.upload.url as string };
}

async function expectImported(importId: number, bytes: Uint8Array): Promise<void> {
  await client.post(`/imports/${importId}/finalize`);
  const ended = await until('the import to end', async () => {
    const { body } = await client.get(`/imports/${importId}?include=photos`);
    return body.status === 'processing' ? false : body;
  });
  expect(ended.photos.data).toMatchObject([{ status: 'imported', error: null }]);
  const { photoId } = ended.photos.data[0];
  expect(sha256(await client.bytes(`/photos/${photoId}/download`))).toBe(sha256(bytes));
}

/** Sends the file in pieces, from wherever the service says that it is; goes on whatever happens to the service. */
async function sendPatiently(url: string, bytes: Uint8Array, pieceBytes: number): Promise<void> {
  const tus = { 'Tus-Resumable': '1.0.0' };
  const ask = async () => {
    const answer = await fetch(url, { method: 'HEAD', headers: tus });
    return answer.ok ? [Number(answer.headers.get('Upload-Offset'))] : false;
  };
  const send = async (offset: number) => {
    const headers = { ...tus, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
    const body = bytes.subarray(offset, offset + pieceBytes);
    await fetch(url, { method: 'PATCH', headers, body: new Uint8Array(body) });
  };
  await until('the file to be sent', async () => {
    try {
      const [offset] = (await ask()) || [];
      if (offset === bytes.length) return true;
      if (offset !== undefined) await send(offset);
    } catch (error) {
      // There was no answer.
      if ((error as Error).name !== 'TypeError') throw error;
    }
    return false;
  });
}

function sendByClient(url: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    // Until a service that was killed is there again, however busy the machine is.
    const retryDelays = [0, 100, ...Array<number>(120).fill(500)];
    const upload = new Upload(Buffer.from(bytes), {
      uploadUrl: url,
      retryDelays,
      onSuccess: () => resolve(),
      onError: reject,
    });
    upload.start();
  });
}

/** A picture of so many bytes: what comes after its end no decoder looks at. */
function largePhoto(name: string, bytes: number): Uint8Array {
  const photo = photoNamed(name);
  const large = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 4096) large[at] = at / 4096;
  large.set(photo);
  return large;
}

describe('F1: kill -9 right after each step of an upload by tus, before it is reported', () => {
  let failpoints: Failpoints;
  beforeAll(async () => {
    failpoints = new Failpoints(installation);
    await installation.start(failpoints.settings);
  });
  afterEach(() => failpoints.disarm());
  afterAll(() => installation.stop());

  it('covers every step', async () => {
    const bytes = photoNamed('undisturbed');
    const { importId, url } = await registered(bytes);
    const others = failpoints.seen();
    await sendPatiently(url, bytes, PIECE_BYTES);
    await until('the last step', () => steps.every((step) => failpoints.seen().includes(step)));
    const ofUploads = failpoints
      .seen()
      .filter((step) => !others.includes(step) && /^(resumable|staged|upload):/.test(step));
    expect(ofUploads).toEqual(steps);
    await expectImported(importId, bytes);
  });

  it.each(steps)('%s', async (step) => {
    const bytes = photoNamed(step);
    const { importId, url } = await registered(bytes);
    failpoints.arm(step);
    const sending = sendPatiently(url, bytes, PIECE_BYTES);
    await installation.end();
    failpoints.disarm();
    await installation.start(failpoints.settings);
    await sending;
    await expectImported(importId, bytes);
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
  });
});

describe('kill -9 in the middle of a long request', () => {
  afterEach(() => installation.stop());

  it('makes tus-js-client send little of it again', async () => {
    await installation.start();
    const bytes = largePhoto('killed', 60 * MIB);
    const { importId, url } = await registered(bytes);
    const proxy = await CuttingProxy.before(installation.url, { afterBytes: null });
    try {
      const sending = sendByClient(url.replace(installation.url, proxy.url), bytes);
      await until('half of it to be on its way', () => proxy.received > 30 * MIB);
      await installation.killEverything();
      await installation.start();
      await sending;
      expect(proxy.received).toBeLessThan(bytes.length + 24 * MIB);
    } finally {
      await proxy.close();
    }
    await expectImported(importId, bytes);
  });
});

describe('50 MB over a connection that is cut every 5 MB: at most 2 % is sent twice', () => {
  const size = 50_000_000;
  let proxy: CuttingProxy;
  beforeEach(async () => {
    proxy = await CuttingProxy.before(installation.url, { afterBytes: 5_000_000 });
    await installation.start({ PUBLIC_URL: proxy.url });
  });
  afterEach(async () => {
    await proxy.close();
    await installation.stop();
  });

  async function expectLittleSentTwice(): Promise<void> {
    expect(proxy.cuts).toBeGreaterThanOrEqual(9);
    expect(proxy.received).toBeLessThan(1.02 * size);
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
  }

  it('makes tus-js-client send little again', async () => {
    const bytes = largePhoto('by tus-js-client', size);
    const { importId, url } = await registered(bytes);
    await sendByClient(url, bytes);
    await expectImported(importId, bytes);
    await expectLittleSentTwice();
  });

  it('makes phs import send little again', async () => {
    const bytes = largePhoto('by phs import', size);
    const folder = join(installation.dataDir, 'large');
    mkdirSync(folder);
    writeFileSync(join(folder, 'large.jpg'), bytes);
    const env = {
      PATH: process.env['PATH'],
      HOME: installation.dataDir,
      PHOTO_SERVICE_URL: proxy.url,
      PHOTO_SERVICE_TOKEN: token,
    };
    const child = spawn(process.execPath, [CLI, 'import', folder, '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ imported: 1, failed: [], bytesUploaded: size });
    await expectLittleSentTwice();
    const { body } = await client.get(`/photos?sha256=${sha256(bytes)}`);
    expect(body.data).toMatchObject([{ filename: 'large.jpg', sizeBytes: size }]);
  });
});
