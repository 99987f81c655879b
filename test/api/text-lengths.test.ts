import { declaredFields, declaredModel, lengthsOf, type Model } from '../../src/http/fields/declared.js';
import { sources } from '../architecture/sources.js';
import { BrowserClient } from './support/browser-client.js';
import type { Answer } from './support/http-client.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId);
});
afterAll(() => app.close());

const errorsOf = ({ status, body }: Answer) => [status, body.error.details?.errors];

test('a field of a form that is longer than any valid one is refused before it is read', async () => {
  const key = { name: 'Website', preset: 'read', expiresOn: '', readLimit: '', writeLimit: '' };
  const answer = await browser.submit('/settings/keys/new', { ...key, ipList: `${'\t'.repeat(20_000)}x` });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('ipList can have at most 20000 characters.');
});

test('a value of a form that is too long is refused among several, too', async () => {
  const answer = await browser.submit('/settings/keys/new', {
    name: 'a',
    preset: 'chosen',
    scopes: ['a', 'b'.repeat(201)],
  });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('scopes can have at most 200 characters.');
});

test('a parameter of a page that is longer than any valid one is refused', async () => {
  expect((await browser.get(`/settings/library?q=${'a'.repeat(501)}`)).status).toBe(400);
  expect((await browser.get(`/settings/library?q=${'a'.repeat(500)}`)).status).toBe(200);
  expect((await browser.get(`/settings/library?constructor=${'a'.repeat(501)}`)).status).toBe(400);
});

test('a parameter of the API that is too long is refused as its parser refuses it', async () => {
  expect(errorsOf(await actor.get(`/photos?limit=${'1'.repeat(5000)}`))).toMatchObject([
    400,
    [{ code: 'invalid_type' }],
  ]);
  expect(errorsOf(await actor.get(`/photos?q=${'a'.repeat(5000)}`))).toMatchObject([
    400,
    [{ code: 'too_long', max: 200 }],
  ]);
  expect(errorsOf(await actor.get(`/photos?ids=${'1,'.repeat(5000)}1`))).toMatchObject([400, [{ code: 'too_many' }]]);
});

test('a query with more parameters than any endpoint has is refused as a whole', async () => {
  const names = Array.from({ length: 101 }, (_, at) => `p${at}`).join('&');
  const [error] = (await actor.get(`/photos?${names}`)).body.error.details.errors;
  expect(error).toMatchObject({ field: 'query', code: 'too_many', max: 100 });
});

test('a header that is too long is refused where it decides, and ignored where it advises', async () => {
  const headers = { 'if-match': `"${'a'.repeat(9000)}"` };
  const { body } = await actor.post('/tags', { name: 'Paris' });
  expect(errorsOf(await actor.patch(`/tags/${body.id}`, { name: 'Rome' }, headers))).toMatchObject([
    400,
    [{ field: 'If-Match', code: 'too_long', max: 8000 }],
  ]);
  const reads = await actor.get('/me', { 'user-agent': 'a'.repeat(3000), prefer: 'b'.repeat(3000) });
  expect(reads.status).toBe(200);
});

test('a text of a body that is longer than any spelling of a valid one is refused as its rules say', async () => {
  const { body } = await actor.post('/imports', { defaultTimeZone: 'E'.repeat(300_000), name: 'a'.repeat(300_000) });
  const codes = body.error.details.errors.map(({ field, code }: Record<string, string>) => `${field} ${code}`);
  expect(codes).toEqual(['defaultTimeZone invalid_format', 'name too_long']);
});

test('a file with a text that is too long is rejected, and the others are not', async () => {
  const { id } = (await actor.post('/imports')).body;
  const photos = [
    { filename: `a${' '.repeat(300_000)}`, sizeBytes: 1 },
    { filename: 'b.jpg', sizeBytes: 1 },
  ];
  const { data } = (await actor.post(`/imports/${id}/photos`, { photos })).body;
  expect(data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['rejected', 'created']);
});

test('a body with more brackets or values than any has is refused before it is parsed', async () => {
  const send = (body: string) =>
    actor.send({ method: 'POST', path: '/api/v1/tags', body, headers: { 'content-type': 'application/json' } });
  expect(errorsOf(await send('['.repeat(1_000_000)))).toMatchObject([400, [{ field: 'body', code: 'invalid_json' }]]);
  expect(errorsOf(await send(`[${'1,'.repeat(400_000)}1]`))).toMatchObject([
    400,
    [{ field: 'body', code: 'too_many' }],
  ]);
  expect((await send(JSON.stringify({ name: '[{,"\\'.repeat(10) }))).status).toBe(201);
});

test('every text of a body has a length', () => {
  const texts = declaredFields.filter(({ prototype, schema }) => {
    const isText = schema['type'] === 'string' || (schema['type'] === 'array' && 'items' in schema);
    const hasTexts = isText || (schema['type'] === 'object' && 'additionalProperties' in schema);
    const items = schema['items'] as { type?: string; format?: string } | undefined;
    const isForOthers = items !== undefined && (items.type !== 'string' || items.format === 'binary');
    return hasTexts && !isForOthers && isRequest(prototype.constructor as Model);
  });
  expect(texts.length).toBeGreaterThan(20);
  const unbounded = texts.filter(
    ({ prototype, name }) => lengthsOf(prototype.constructor as Model)[name] === undefined,
  );
  expect(unbounded.map(({ prototype, name }) => `${prototype.constructor.name}.${name}`)).toEqual([]);
});

/** Whether it is a body, or the parent class of one. */
function isRequest(model: Model): boolean {
  const models = declaredFields.map(({ prototype }) => prototype.constructor as Model);
  const bodies = models.filter((each) => declaredModel(each)?.direction === 'request');
  return bodies.some((body) => body === model || body.prototype instanceof model);
}

test('headers are read with their lengths, and in no other way', () => {
  const direct = sources()
    .filter(({ path }) => /^src\/(http|api|pages|start)\//.test(path) && !/\/(assets|openapi)\//.test(path))
    .filter(({ path }) => path !== 'src/http/server/request.ts')
    .filter(({ code }) =>
      /request\w*\.headers\b|headersDistinct|rawHeaders|\bheaders\b[^\n]*\}: \w*(Request|IncomingMessage)|@Headers\(|\.header\(/.test(
        code,
      ),
    );
  expect(direct.map(({ path }) => path)).toEqual([]);
});
