import type { MemorySourceReader } from '../../testing/memory/imports/memory-fetches.js';
import { fetchDue } from '../support/fetch-due.js';
import type { Answer } from './support/http-client.js';
import { multipart, picture, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
let importId: number;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  actor = await app.customer();
  importId = (await actor.post('/imports')).body.id;
});
afterAll(() => app.close());

const SECRET = 'X-Signature=4f6e79';
let names = 0;
/** A picture on another server, and its registration. */
function placed(bytes = picture(`fetched ${++names}`)) {
  const filename = `${++names}.jpg`;
  const sourceUrl = `https://media.example/${filename}?${SECRET}`;
  (app.ports.sourceReader as MemorySourceReader).sources.set(sourceUrl, { bytes, validator: '"1"' });
  return { filename, clientRef: filename, sourceUrl };
}

const add = (photos: readonly object[], headers = {}): Promise<Answer> =>
  actor.post(`/imports/${importId}/photos`, { photos }, headers);
const listed = async () => (await actor.get(`/imports/${importId}?include=photos`)).body.photos.data;

test('a file with a sourceUrl is fetched, inspected and published', async () => {
  const bytes = picture('by url');
  const answer = await add([placed(bytes)]);
  const item = { status: 'fetching', upload: null, sizeBytes: null, sha256: null, photoId: null, error: null };
  expect([answer.status, answer.body.data]).toMatchObject([201, [{ outcome: 'created', photo: item }]]);
  expect(answer.body.import.counts).toMatchObject({ total: 1, fetching: 1, awaitingUpload: 0 });
  const some = await actor.get(`/imports/${importId}?include=photos&photoStatus=fetching`);
  expect(some.body.photos.data).toMatchObject([{ status: 'fetching' }]);

  const finalized = await actor.post(`/imports/${importId}/finalize`);
  expect([finalized.status, finalized.body]).toMatchObject([202, { status: 'processing', progress: 0 }]);
  await fetchDue(app.ports);
  await app.work();
  expect(await listed()).toMatchObject([{ status: 'imported', sizeBytes: bytes.length, sha256: sha256(bytes) }]);
  expect((await actor.get(`/imports/${importId}`)).body).toMatchObject({ status: 'completed', progress: 1 });
});

test('the URL is in no response and in no line of the log', async () => {
  const good = placed();
  const bad = { filename: 'b.jpg', sourceUrl: `http://media.example/b.jpg?${SECRET}` };
  const gone = { filename: 'c.jpg', sourceUrl: `https://media.example/missing.jpg?${SECRET}` };
  const key = { 'idempotency-key': 'by-url' };
  const first = await add([good, bad, gone], key);
  const answers = [first, await add([good, bad, gone], key), await add([good])];
  expect(answers[1]?.headers['idempotent-replayed']).toBe('true');
  await fetchDue(app.ports);
  await app.work();
  answers.push(
    await actor.get(`/imports/${importId}?include=photos`),
    await actor.post(`/imports/${importId}/finalize`),
  );
  for (const { text } of answers) expect(text).not.toMatch(/X-Signature|media\.example|sourceUrl"/);
  expect(app.log.join('')).not.toMatch(/X-Signature|media\.example/);
  expect(first.body.data[1]).toMatchObject({
    outcome: 'rejected',
    error: { code: 'invalid_request', message: 'sourceUrl must begin with https://.' },
  });
});

test.each([
  [{ filename: 'a.jpg' }, 'sizeBytes', 'required'],
  [{ filename: 'a.jpg', sourceUrl: null }, 'sizeBytes', 'required'],
  [{ filename: 'a.jpg', sourceUrl: '' }, 'sizeBytes', 'required'],
  [{ filename: 'a.jpg', sizeBytes: null, sourceUrl: 'https://media.example/a' }, 'sizeBytes', 'not_nullable'],
  [{ filename: 'a.jpg', sizeBytes: '7', sourceUrl: 'https://media.example/a' }, 'sizeBytes', 'invalid_type'],
  [{ filename: 'a.jpg', sizeBytes: 7, sourceUrl: 7 }, 'sourceUrl', 'invalid_type'],
  [{ sourceUrl: 'https://media.example/a' }, 'filename', 'required'],
])('%j is refused: %s is %s', async (photo, field, code) => {
  const answer = await add([placed(), photo]);
  expect([answer.status, answer.body.error.details]).toMatchObject([
    400,
    { errors: [{ field: `photos[1].${field}`, code }] },
  ]);
  expect(await listed()).toEqual([]);
});

test.each([
  ['http://media.example/a.jpg', 'sourceUrl must begin with https://.'],
  ['https://a:b@media.example/a.jpg', 'sourceUrl must not contain a user name or password.'],
  ['https://media.example/a.jpg#b', 'sourceUrl must not have a fragment (#…), because it would never be sent.'],
  [`https://media.example/${'a'.repeat(2000)}`, 'sourceUrl must have at most 2000 characters.'],
  ['media.example/a.jpg', 'sourceUrl must be a complete URL, such as https://example.com/photo.jpg.'],
])('a file with the sourceUrl %s is rejected, and the others are not', async (sourceUrl, message) => {
  const answer = await add([{ filename: 'a.jpg', sourceUrl }, placed()]);
  const error = { code: 'invalid_request', message };
  expect([answer.status, answer.body.data]).toMatchObject([
    201,
    [{ outcome: 'rejected', error }, { outcome: 'created' }],
  ]);
});

test('a sourceUrl is refused in a request with bytes, and in a patch', async () => {
  const content = Buffer.from(JSON.stringify([placed()]));
  const { body, type } = multipart([
    { name: 'photos', content, type: 'application/json' },
    { filename: 'a.jpg', content: picture('inline') },
  ] as Parameters<typeof multipart>[0]);
  const inline = await actor.post(`/imports/${importId}/photos`, body, { 'content-type': type });
  expect([inline.status, inline.text]).toMatchObject([400, expect.stringContaining('unknown_field')]);
  const [{ photo }] = (await add([placed()])).body.data;
  const patched = await actor.patch(`/imports/${importId}/photos/${photo.id}`, { sourceUrl: 'https://media.example/' });
  expect([patched.status, patched.body.error.details]).toMatchObject([400, { errors: [{ code: 'read_only' }] }]);
});

test('a file that cannot be fetched fails with the reason, and is fetched again when it is registered again', async () => {
  const gone = { filename: 'a.jpg', clientRef: 'a', sourceUrl: 'https://media.example/gone.jpg' };
  await add([gone]);
  await fetchDue(app.ports);
  expect(await listed()).toMatchObject([{ status: 'failed', error: { code: 'source_not_found' }, upload: null }]);
  const again = await add([{ ...placed(), clientRef: 'a' }]);
  expect([again.status, again.body.data]).toMatchObject([
    200,
    [{ outcome: 'existing', photo: { status: 'fetching' } }],
  ]);
  await fetchDue(app.ports);
  await app.work();
  expect(await listed()).toMatchObject([{ status: 'ready', error: null }]);
});

test('a declared hash that the library has needs no request', async () => {
  const bytes = picture('known');
  await add([placed(bytes)]);
  await fetchDue(app.ports);
  await app.work();
  await actor.post(`/imports/${importId}/finalize`);
  await app.work();
  importId = (await actor.post('/imports')).body.id;
  const answer = await add([{ ...placed(), sha256: sha256(bytes) }]);
  expect(answer.body.data).toMatchObject([{ outcome: 'duplicate', photo: { status: 'duplicate' } }]);
});
