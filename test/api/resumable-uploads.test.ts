import { createHash, randomBytes } from 'node:crypto';
import { Upload } from 'tus-js-client';
import { CuttingProxy } from '../support/cutting-proxy.js';
import type { Answer } from './support/http-client.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;

beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
});
afterAll(() => app.close());

const tus = { 'tus-resumable': '1.0.0' };
const offsetBytes = 'application/offset+octet-stream';

/** An item that waits for bytes, and the path of its upload target. */
async function target(bytes: Uint8Array, declared: object = {}) {
  const { body: subject } = await actor.post('/imports');
  const photo = { filename: 'a.jpg', sizeBytes: bytes.length, sha256: hashOf(bytes), ...declared };
  const { body } = await actor.post(`/imports/${subject.id}/photos`, { photos: [photo] });
  const [{ photo: item }] = body.data;
  expect(item.upload.protocols).toEqual(['put', 'tus']);
  return { item, path: new URL(item.upload.url).pathname };
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const head = (path: string, headers: Record<string, string> = tus) => app.send({ method: 'HEAD', path, headers });
const patch = (path: string, offset: number, body: Uint8Array, headers: Record<string, string> = {}) =>
  app.send({
    method: 'PATCH',
    path,
    headers: { ...tus, 'upload-offset': String(offset), 'content-type': offsetBytes, ...headers },
    body: [body],
  });
const statusOf = async ({ importId, id }: { importId: number; id: number }) =>
  (await actor.get(`/imports/${importId}?include=photos`)).body.photos.data.find(
    (each: { id: number }) => each.id === id,
  );
const expectTus = ({ headers }: Answer) => expect(headers['tus-resumable']).toBe('1.0.0');

describe('tus 1.0 at an upload target', () => {
  const bytes = randomBytes(1000);

  it('reports what it supports', async () => {
    const { path } = await target(bytes);
    const answer = await app.send({ method: 'OPTIONS', path });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-extension': 'expiration',
      'tus-max-size': '209715200',
      'access-control-allow-methods': 'HEAD, OPTIONS, PATCH, PUT',
      'access-control-allow-headers': '*',
    });
  });

  it('tells the offset, takes bytes from there, and completes the item with the last one', async () => {
    const { item, path } = await target(bytes);
    const before = await head(path);
    expect(before.status).toBe(200);
    expect(before.headers).toMatchObject({
      'upload-offset': '0',
      'upload-length': '1000',
      'cache-control': 'no-store',
    });
    expect(new Date(String(before.headers['upload-expires'])).getTime()).toBeGreaterThan(app.clock.now().getTime());
    const first = await patch(path, 0, bytes.subarray(0, 400));
    expect([first.status, first.headers['upload-offset']]).toEqual([204, '400']);
    expect((await head(path)).headers).toMatchObject({ 'upload-offset': '400', 'upload-length': '1000' });
    const last = await patch(path, 400, bytes.subarray(400));
    expect([last.status, last.headers['upload-offset']]).toEqual([204, '1000']);
    expect(await statusOf(item)).toMatchObject({ status: 'processing', upload: null });
    const after = await head(path);
    expect([after.status, after.headers['upload-offset']]).toEqual([200, '1000']);
    for (const answer of [before, first, last, after]) expectTus(answer);
  });

  it.each([
    ['no version', {}, 412],
    ['another version', { 'tus-resumable': '0.2.2' }, 412],
  ])('refuses %s', async (_, headers, status) => {
    const { path } = await target(bytes);
    const answer = await head(path, headers as Record<string, string>);
    expect([answer.status, answer.headers['tus-version']]).toEqual([status, '1.0.0']);
    expectTus(answer);
    const patched = await app.send({ method: 'PATCH', path, headers, body: 'x' });
    expect(patched.body.error.code).toBe('precondition_failed');
  });

  it.each([
    ['another type', { 'content-type': 'image/jpeg' }, 'unsupported_media_type'],
    ['no offset', { 'upload-offset': '' }, 'invalid_request'],
    ['an offset that is none', { 'upload-offset': '-1' }, 'invalid_request'],
    ['an offset beyond all numbers', { 'upload-offset': '9007199254740993' }, 'invalid_request'],
    ['an offset that is not the end', { 'upload-offset': '1' }, 'upload_offset_mismatch'],
    ['an offset beyond the end', { 'upload-offset': '1001' }, 'upload_offset_mismatch'],
    ['an offset from which they exceed the end', { 'upload-offset': '1000' }, 'upload_offset_mismatch'],
  ])('refuses bytes with %s', async (_, headers, code) => {
    const { path } = await target(bytes);
    const answer = await patch(path, 0, bytes.subarray(0, 1), headers as Record<string, string>);
    expect(answer.body.error.code).toBe(code);
    expectTus(answer);
    expect((await head(path)).headers['upload-offset']).toBe('0');
  });

  it('refuses more bytes than declared at once when their number is announced', async () => {
    const { path } = await target(bytes);
    const headers = { ...tus, 'upload-offset': '0', 'content-type': offsetBytes, 'content-length': '1001' };
    const answer = await app.send({ method: 'PATCH', path, headers, body: '', open: true });
    expect(answer.body.error).toMatchObject({ code: 'payload_too_large', details: { maxBytes: 1000 } });
  });

  it('begins anew after bytes with another hash', async () => {
    const { path } = await target(bytes, { sha256: hashOf(Buffer.from('other')) });
    await patch(path, 0, bytes.subarray(0, 500));
    expect((await patch(path, 500, bytes.subarray(500))).body.error.code).toBe('checksum_mismatch');
    expect((await head(path)).headers['upload-offset']).toBe('0');
  });

  it('gives no address of others away', async () => {
    const answer = await head('/uploads/x');
    expect(answer.status).toBe(403);
    expectTus(answer);
  });

  it('changes nothing for a method that a header names', async () => {
    const { path } = await target(bytes);
    const headers = { ...tus, 'x-http-method-override': 'PATCH', 'upload-offset': '0', 'content-type': offsetBytes };
    const answer = await app.send({ method: 'POST', path, headers, body: [bytes] });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'HEAD, OPTIONS, PATCH, PUT']);
  });
});

describe('tus-js-client', () => {
  const sendThrough = (url: string, bytes: Buffer, chunkSize?: number) =>
    new Promise<void>((resolve, reject) => {
      const upload = new Upload(bytes, {
        uploadUrl: url,
        retryDelays: [0, 10, 20, 50, 100],
        ...(chunkSize !== undefined && { chunkSize }),
        onSuccess: () => resolve(),
        onError: reject,
      });
      upload.start();
    });

  it.each([undefined, 1_000_000])(
    'brings a file over a connection that is cut all the time, chunks: %p',
    async (chunkSize) => {
      const bytes = randomBytes(3_000_000);
      const { item, path } = await target(bytes);
      const proxy = await CuttingProxy.before(app.url, { afterBytes: 300_000 });
      try {
        await sendThrough(`${proxy.url}${path}`, bytes, chunkSize);
      } finally {
        await proxy.close();
      }
      expect(proxy.cuts).toBeGreaterThanOrEqual(9);
      expect(await statusOf(item)).toMatchObject({ status: 'processing', sha256: hashOf(bytes) });
      // What was on its way when the connection broke, and headers.
      expect(proxy.received).toBeLessThan(1.5 * bytes.length);
    },
  );

  it('is told of bytes that are not the declared ones, and does not try again', async () => {
    const bytes = randomBytes(10_000);
    const { path } = await target(bytes, { sha256: hashOf(Buffer.from('other')) });
    await expect(sendThrough(`${app.url}${path}`, bytes)).rejects.toMatchObject({
      message: expect.stringContaining('checksum_mismatch'),
    });
  });
});
