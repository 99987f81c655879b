import { TagListQuery, TagPatchBody } from '../../src/http/api/tags/tag.dto.js';
import { TagsController } from '../../src/http/api/tags/tags.controller.js';
import { AddedIn, Beta, Deprecated } from '../../src/http/lifecycle.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { PublicAddresses } from '../../src/http/public-addresses.js';
import { until } from '../support/until.js';
import { BrowserClient } from './support/browser-client.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

// Nothing of the API is deprecated. Here, these parts of it are: a route, a parameter and a field of a body.
const route = { since: '2027-01-15', sunset: '2028-02-01', instead: 'Use `GET /api/v1/tags?ids=`.' };
const parameter = { since: '2027-03-01', sunset: null, instead: 'Use `q`.' };
const field = { since: '2027-02-01', sunset: '2028-03-01', instead: 'Use `description`.' };
const { prototype } = TagsController;
Deprecated(route)(prototype, 'read', Object.getOwnPropertyDescriptor(prototype, 'read') as PropertyDescriptor);
Deprecated(parameter)(TagListQuery.prototype, 'name');
Beta()(TagListQuery.prototype, 'unused');
AddedIn('9.1.0')(TagListQuery.prototype, 'unused');
Deprecated(field)(TagPatchBody.prototype, 'color');

let app: RunningApp;
let actor: Actor;
const answered: (readonly string[])[] = [];
beforeAll(async () => {
  app = await startApp({ onAnswered: ({ deprecated }) => answered.push(deprecated) });
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer();
});

const at = (day: string) => `@${Date.parse(day) / 1000}`;

async function tag(): Promise<number> {
  return (await actor.post('/tags', { name: 'Sun' })).body.id;
}

test('a response says that its request used something deprecated, since when, until when, and where more is said', async () => {
  const id = await tag();
  const { headers, status } = await actor.get(`/tags/${id}`);
  expect({ status, ...headers }).toMatchObject({
    status: 200,
    deprecation: at('2027-01-15'),
    sunset: 'Tue, 01 Feb 2028 00:00:00 GMT',
    link: '</docs/guides/versioning>; rel="deprecation"; type="text/html", </docs/guides/versioning>; rel="sunset"; type="text/html"',
  });
  // Also where it ends with an error.
  expect((await actor.get('/tags/4711')).headers).toMatchObject({ deprecation: at('2027-01-15') });
  const named = (await actor.get('/tags?name=sun')).headers;
  expect([named['deprecation'], named['sunset']]).toEqual([at('2027-03-01'), undefined]);
  expect((await actor.patch(`/tags/${id}`, { color: '#ff0000' })).headers).toMatchObject({
    deprecation: at('2027-02-01'),
    sunset: 'Wed, 01 Mar 2028 00:00:00 GMT',
  });
});

test('a guide is linked under the path of PUBLIC_URL', async () => {
  const addresses = new PublicAddresses('https://example.com/photos');
  const other = await startApp({ ports: () => ({ addresses }) });
  try {
    const { headers } = await (await other.customer()).get('/tags/4711');
    expect(headers['link']).toContain('</photos/docs/guides/versioning>; rel="deprecation"');
    expect(headers['link']).toContain('</photos/docs/guides/versioning>; rel="sunset"');
  } finally {
    await other.close();
  }
});

test('an installation that serves no guides links to none', async () => {
  const other = await startApp({ docs: false });
  try {
    const { headers } = await (await other.customer()).get('/tags/4711');
    expect(headers).toMatchObject({ deprecation: at('2027-01-15'), sunset: 'Tue, 01 Feb 2028 00:00:00 GMT' });
    expect(headers).not.toHaveProperty('link');
  } finally {
    await other.close();
  }
});

test('a request that uses nothing of it hears nothing', async () => {
  const id = await tag();
  for (const { status, headers } of [
    await actor.get('/tags?q=sun'),
    await actor.patch(`/tags/${id}`, { name: 'Sea' }),
  ]) {
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('deprecation');
    expect(headers).not.toHaveProperty('link');
  }
});

test('the log, the metrics and the usage page name what was used, and by which key', async () => {
  const other = await actor.withKey({ name: 'up to date' });
  const old = await actor.withKey({ name: 'old program' });
  answered.length = 0;
  const before = app.log.length;
  await other.get('/tags');
  await old.get('/tags?name=sun&limit=1');
  await old.get('/tags/4711');
  const used = ['GET /api/v1/tags?name', 'GET /api/v1/tags/:id'];
  await until(() => answered.length === 3);
  expect(answered).toEqual([[], ...used.map((name) => [name])]);
  const lines = app.log.slice(before).map((line) => JSON.parse(line));
  expect(lines.map(({ deprecated }) => deprecated)).toEqual([undefined, ...used.map((name) => [name])]);

  const browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'owner');
  await app.writeCounts();
  const { text } = await browser.get('/settings/usage');
  const card = text.slice(text.indexOf('Deprecated parts of the API'), text.indexOf('Recent errors'));
  expect(card).toContain('old program');
  expect(card).not.toContain('up to date');
});

test('the document marks it, and says what to use instead', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the document is looked into field by field.
  const document: any = openApiDocument('0.0.0');
  const { get: list } = document.paths['/api/v1/tags'];
  const { get: read, patch } = document.paths['/api/v1/tags/{id}'];
  const marks = { deprecated: true, 'x-stability': 'stable', 'x-added-in': '0.1.0' };
  expect(read).toMatchObject({
    ...marks,
    description: expect.stringContaining('Deprecated: Use `GET /api/v1/tags?ids=`.'),
    'x-deprecated-since': '2027-01-15',
    'x-sunset': '2028-02-01',
    'x-required-scope': 'tags:read',
  });
  expect(patch).not.toHaveProperty('deprecated');
  const parameterOf = (name: string) => list.parameters.find((one: { name: string }) => one.name === name);
  expect(parameterOf('name')).toMatchObject({ ...marks, description: expect.stringContaining('Deprecated: Use `q`.') });
  expect(parameterOf('name')).not.toHaveProperty('x-sunset');
  expect(parameterOf('unused')).toMatchObject({ 'x-stability': 'beta', 'x-added-in': '9.1.0' });
  expect(document.components.schemas.TagPatch.properties.color).toMatchObject({ ...marks, 'x-sunset': '2028-03-01' });
});

test('a sunset leaves clients a year', () => {
  expect(() => Deprecated({ since: '2027-01-15', sunset: '2028-01-14', instead: '' })).toThrow('at least 365 days');
  expect(() => Deprecated({ since: '2027-01-15', sunset: 'soon', instead: '' })).toThrow();
  expect(() => Deprecated({ since: '2027-01-15', sunset: '2028-01-15', instead: '' })).not.toThrow();
});
