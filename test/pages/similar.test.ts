import type { Id } from '../../src/core/shared/ids.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

const PAGE = '/settings/similar';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'editor', `m.${actor.customerId}@example.com`);
});

/** Photos of this name with these hashes, the wider the later. */
const add = async (name: string, ...hashes: string[]): Promise<Id[]> => {
  const files = hashes.map((phash, at) => ({
    filename: `${name}-${at}.jpg`,
    content: picture(`${name} ${at} of ${actor.customerId}`, { phash, width: 400 + at }),
  }));
  return (await importPhotos(app, actor, files)).map(({ id }: { id: Id }) => id);
};
const show = async (path = PAGE) => (await browser.get(path)).text;
/** The photos of each group on a page, in its order. */
const groupsOn = (html: string) =>
  (html.match(/<section class="card similar"[\s\S]*?<\/section>/g) ?? []).map((group) =>
    [...group.matchAll(/name="ids" value="([0-9]+)"/g)].map(([, id]) => Number(id)),
  );
const flashOn = (html: string) => /class="flash [a-z]+"[^>]*>([^<]*)</.exec(html)?.[1];
const inTrash = async () => (await actor.get('/photos?trashed=true&sort=id')).body.data.map(({ id }: { id: Id }) => id);
const submit = (step: string, fields: Record<string, string | readonly string[]>, query = '') =>
  token().then((_csrf) => browser.post(`${PAGE}${step}${query}`, { _csrf, ...fields }));
const token = async () => /name="csrf-token" content="([0-9a-f]+)"/.exec(await show('/settings/tags'))?.[1] ?? '';
const texts = (ids: readonly Id[]) => ids.map(String);
/** The values of a hidden field in the form that takes back what was done. */
const undoOn = (html: string, field: string) => {
  const form = /<form[^>]*class="undo"[\s\S]*?<\/form>/.exec(html)?.[0] ?? '';
  return [...form.matchAll(new RegExp(`name="${field}" value="([^"]*)"`, 'g'))].map(([, value]) => value ?? '');
};

test('without similar photos the page says so', async () => {
  await add('a', '00000000000000ff');
  const { status, text } = await browser.get(PAGE);
  expect(status).toBe(200);
  expect(text).toContain('No similar photos');
  expect(text).toContain(`<a href="${PAGE}" aria-current="page">Similar photos</a>`);
});

test('a group shows what its photos are, and the best is chosen', async () => {
  const ids = await add('a', '00000000000000ff', '00000000000000fe', '00000000000000ff');
  await add('b', 'ffffffffffffff00');
  await actor.patch(`/photos/${ids[0]}`, { rating: 3, takenAtLocal: '2021-02-03T04:05:06', timeZone: 'UTC' });
  await actor.put(`/photos/${ids[0]}/tags`, { tagNames: ['Sea & sand'] });
  const html = await show();
  expect(groupsOn(html)).toEqual([ids]);
  for (const text of [
    '3 similar photos',
    'a-1.jpg',
    '402 × 300',
    'JPEG',
    '3 February 2021 at 04:05:06',
    '★★★',
    'Sea &amp; sand',
  ]) {
    expect(html).toContain(text);
  }
  const chosen = [...html.matchAll(/<input type="checkbox" name="keep" value="([0-9]+)"([^>]*)>/g)];
  expect(chosen.map(([, id, rest]) => [Number(id), rest?.includes('checked')])).toEqual(
    ids.map((id) => [id, id === ids[2]]),
  );
});

test('the other photos of a similar group go to the trash, and are restored by the undo button', async () => {
  const [a = 0, b = 0, c = 0] = await add('a', '00000000000000ff', '00000000000000fe', '00000000000000ff');
  const moved = await browser.submit(PAGE, { ids: texts([a, b, c]), keep: String(c) }, `${PAGE}/keep`);
  expect([moved.status, moved.headers.location]).toEqual([303, PAGE]);
  const html = await show();
  expect([flashOn(html), groupsOn(html), await inTrash()]).toEqual(['2 photos moved to the trash.', [], [a, b]]);
  const undo = undoOn(html, 'ids');
  expect(undo).toEqual(texts([a, b]));
  await submit('/restore', { ids: undo });
  const after = await show();
  expect([flashOn(after), groupsOn(after), await inTrash()]).toEqual(['2 photos restored.', [[a, b, c]], []]);
  expect(undoOn(after, 'ids')).toEqual([]);
});

test('the undo of a similar group restores only what was moved', async () => {
  const [a = 0, b = 0, c = 0] = await add('a', '00000000000000ff', '00000000000000fe', '00000000000000ff');
  await actor.delete(`/photos/${a}`);
  await submit('/keep', { ids: texts([a, b, c]), keep: String(c) });
  await submit('/restore', { ids: undoOn(await show(), 'ids') });
  expect(await inTrash()).toEqual([a]);
});

test('no photo of a similar group is moved when none is to be kept', async () => {
  const ids = await add('a', '00000000000000ff', '00000000000000fe');
  for (const keep of [[], ['999999'], ['x']]) {
    await submit('/keep', { ids: texts(ids), keep });
    const html = await show();
    expect([flashOn(html)?.slice(0, 23), undoOn(html, 'ids')]).toEqual(['Choose a photo to keep.', []]);
  }
  expect(await inTrash()).toEqual([]);
});

test('photos that were separated stay apart, until that is undone', async () => {
  const [a = 0, b = 0, c = 0] = await add('a', '00000000000000ff', '00000000000000fe', '00000000000000ff');
  await submit('/separate', { ids: texts([a, b, c]) });
  const html = await show();
  expect([flashOn(html), groupsOn(html)]).toEqual(['These photos are no longer shown as similar.', []]);
  const undo = undoOn(html, 'pairs');
  expect(undo).toHaveLength(3);
  expect(await show()).toContain('No similar photos');
  const [d = 0] = await add('b', '00000000000000ff');
  expect(groupsOn(await show())).toEqual([[a, b, c, d]]);
  await submit('/rejoin', { pairs: [...undo, 'x', '1', '1-2-3'] });
  await actor.delete(`/photos/${d}`);
  expect(groupsOn(await show())).toEqual([[a, b, c]]);
});

test('groups come in pages, and what is done on a page leads back to it', async () => {
  const spread = (at: number) =>
    BigInt.asUintN(64, BigInt(at + 1) * 0x9e37_79b9_7f4a_7c15n)
      .toString(16)
      .padStart(16, '0');
  const hashes = Array.from({ length: 11 }, (_, at) => spread(at));
  const first = await add('a', ...hashes);
  const second = await add('b', ...hashes);
  const html = await show();
  expect(groupsOn(html)).toHaveLength(10);
  const next = /href="([^"]*)" rel="next"/.exec(html)?.[1] ?? '';
  expect(next).toBe(`${PAGE}?after=${first[9]}`);
  expect(groupsOn(await show(next))).toEqual([[first[10], second[10]]]);
  const moved = await submit(
    '/keep',
    { ids: texts([first[10] ?? 0, second[10] ?? 0]), keep: String(first[10]) },
    `?after=${first[9]}`,
  );
  expect(moved.headers.location).toBe(next);
  const after = await show(next);
  expect(after).toContain(`action="${PAGE}/restore?after=${first[9]}"`);
  expect(after).toContain('No more similar photos');
});

test('a similar group of another customer is not found', async () => {
  const ids = await add('a', '00000000000000ff', '00000000000000fe');
  const stranger = await app.customer('Stranger');
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, stranger.customerId, 'owner', `s.${stranger.customerId}@example.com`);
  expect(groupsOn(await show())).toEqual([]);
  await submit('/separate', { ids: texts(ids) });
  await submit('/keep', { ids: texts(ids), keep: String(ids[0]) });
  expect(flashOn(await show())).toMatch(/^Choose a photo to keep/);
  expect(await inTrash()).toEqual([]);
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'owner', `o.${actor.customerId}@example.com`);
  expect(groupsOn(await show())).toEqual([ids]);
});

test('forms on similar groups change nothing without their token', async () => {
  const ids = await add('a', '00000000000000ff', '00000000000000fe');
  for (const step of ['/keep', '/separate', '/restore', '/rejoin']) {
    const answer = await browser.post(`${PAGE}${step}`, {
      _csrf: 'f'.repeat(64),
      ids: texts(ids),
      keep: String(ids[0]),
    });
    expect([step, answer.status]).toEqual([step, 403]);
  }
  expect([groupsOn(await show()), await inTrash()]).toEqual([[ids], []]);
});
