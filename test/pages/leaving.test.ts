import { finishErasing } from '../../src/core/customers/erase-customer.js';
import { HOUR } from '../../src/core/shared/clock.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

const ACCOUNT = '/settings/account';
const ERASE = '/settings/account/erase';
const PHOTOS = '/settings/account/export/photos.jsonl';
const TAGS = '/settings/account/export/tags.jsonl';

let app: RunningApp;
let actor: Actor;
let owner: BrowserClient;
let member: BrowserClient;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  [owner, member] = [new BrowserClient(app.url), new BrowserClient(app.url)];
  await owner.enter(app.ports, actor.customerId, 'owner', `o.${actor.customerId}@example.com`);
  await member.enter(app.ports, actor.customerId, 'editor', `m.${actor.customerId}@example.com`);
});

const add = (...names: string[]) => {
  const files = names.map((name) => {
    return { filename: `${name}.jpg`, content: picture(`${name} of ${actor.customerId}`) };
  });
  return importPhotos(app, actor, files);
};
const lines = (text: string) => text.split('\n').filter(Boolean);

describe('erasing the account', () => {
  it('lists what will be deleted, and asks for the name', async () => {
    await add('a', 'b');
    expect((await owner.get(ACCOUNT)).text).toContain(`href="${ERASE}"`);
    const { text } = await owner.get(ERASE);
    for (const words of ['2 photos', '1 API key', 'Type <strong>Studio North</strong>']) expect(text).toContain(words);
  });

  it.each(['', 'studio north', 'Studio'])('accepts nothing but the exact name: not “%s”', async (name) => {
    const answer = await owner.submit(ERASE, { name });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('id="field-name-error"');
    expect((await actor.get('/me')).status).toBe(200);
    expect((await owner.get(ACCOUNT)).status).toBe(200);
  });

  it('is for owners, and hidden from members', async () => {
    expect((await member.get(ACCOUNT)).text).not.toContain(ERASE);
    expect((await member.get(ERASE)).status).toBe(403);
    const _csrf = /name="_csrf" value="([0-9a-f]+)"/.exec((await member.get(ACCOUNT)).text)?.[1] ?? '';
    expect((await member.post(ERASE, { _csrf, name: 'Studio North' })).status).toBe(403);
    expect((await owner.post(ERASE, { _csrf, name: 'Studio North' })).status).toBe(403);
    expect((await actor.get('/me')).status).toBe(200);
  });

  it('closes it at once, for all people, and the service removes what is left', async () => {
    const [photo] = await add('a');
    const { urls } = (await actor.get(`/photos/${photo.id}?include=urls`)).body;
    const closed = await owner.submit(ERASE, { name: ' Studio North ' });
    expect([closed.status, closed.text.includes('Studio North is closed')]).toEqual([200, true]);
    expect((await actor.get('/me')).status).toBe(401);
    for (const browser of [owner, member]) {
      expect((await browser.get(ACCOUNT)).headers.location).toMatch(/^\/settings\/sign-in/);
    }
    expect((await app.send({ path: new URL(urls.thumb).pathname })).status).toBeGreaterThanOrEqual(400);
    app.clock.pass(HOUR + 1);
    await finishErasing(app.ports);
    expect(await app.ports.customers.find(actor.customerId)).toBeNull();
    const rows = Object.values(await app.ports.customers.countRows(actor.customerId));
    expect(rows.every((count) => count === 0)).toBe(true);
  });
});

describe('the export of the account', () => {
  it('has a line for each photo, as the API shows it, over many pages, including the trash', async () => {
    const photos = [];
    for (let at = 0; at < 120; at += 20) {
      photos.push(...(await add(...Array.from({ length: 20 }, (_, n) => `p${at + n}`))));
    }
    const [tagged, trashed] = photos;
    await actor.put(`/photos/${tagged.id}/tags`, { tagNames: ['Sea'] });
    await actor.delete(`/photos/${trashed.id}`);
    const answer = await member.get(PHOTOS);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="photos.jsonl"');
    const told = lines(answer.text).map((line) => JSON.parse(line));
    expect(told.map(({ id }) => id)).toEqual(photos.map(({ id }) => id));
    const { download, ...photo } = told[0];
    expect(photo).toEqual((await actor.get(`/photos/${tagged.id}`)).body);
    expect((await actor.get(download.replace('/api/v1', ''))).status).toBe(200);
    expect(told[1]).toMatchObject({ id: trashed.id, download: null });
    const [tag] = lines((await member.get(TAGS)).text).map((line) => JSON.parse(line));
    expect(tag).toEqual((await actor.get(`/tags/${tag.id}`)).body);
  });

  it('is empty while there is nothing', async () => {
    expect(await owner.get(PHOTOS)).toMatchObject({ status: 200, text: '' });
    expect(await owner.get(TAGS)).toMatchObject({ status: 200, text: '' });
    expect((await owner.send({ method: 'HEAD', path: PHOTOS })).status).toBe(200);
  });

  it('contains nothing of other customers', async () => {
    const [photo] = await add('a');
    const stranger = await app.customer('Other');
    const theirs = new BrowserClient(app.url);
    await theirs.enter(app.ports, stranger.customerId, 'owner', `s.${stranger.customerId}@example.com`);
    expect((await theirs.get(PHOTOS)).text).toBe('');
    expect((await owner.get(PHOTOS)).text).toContain(`"id":${photo.id},`);
    expect((await new BrowserClient(app.url).get(PHOTOS)).status).toBe(303);
  });
});
