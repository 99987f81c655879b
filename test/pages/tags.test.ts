import { commandLine } from '../../src/core/audit/audit-entry.js';
import { previewMerge } from '../../src/core/tags/edit-tag.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { present } from '../support/tenant.js';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer();
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'editor', `member.${actor.customerId}@example.com`);
});

const tag = async (name: string, of = actor): Promise<number> => (await of.post('/tags', { name })).body.id;
const photo = async (...tagIds: number[]): Promise<{ id: number }> => {
  const content = picture(`of ${actor.customerId} with ${tagIds}`);
  const [added] = await importPhotos(app, actor, [{ filename: 'a.jpg', type: 'image/jpeg', content }]);
  await actor.put(`/photos/${added.id}/tags`, { tagIds });
  return added;
};
/** Names in the order of the list. */
const names = (html: string) =>
  [...html.matchAll(/for merging"[\s\S]*?<a href="[^"]*">([^<]*)<\/a>/g)].map(([, name]) => name);

describe('the list', () => {
  it('invites to create a tag while there is none', async () => {
    const { text } = await browser.get('/settings/tags');
    expect(text).toContain('No tags yet');
    expect(text).toContain('href="/settings/tags/new"');
  });

  it('shows each tag with its photos, and finds by name', async () => {
    const sea = await tag('Sea');
    await tag('Mountains');
    await photo(sea);
    const all = await browser.get('/settings/tags');
    expect(names(all.text)).toEqual(['Mountains', 'Sea']);
    expect(all.text).toMatch(/Sea<\/a>[\s\S]*?data-column="Photos">1</);
    expect(names((await browser.get('/settings/tags?q=mount')).text)).toEqual(['Mountains']);
    expect(names((await browser.get('/settings/tags?unused=true&sort=-name')).text)).toEqual(['Mountains']);
    expect((await browser.get('/settings/tags?q=desert')).text).toContain('No tags match');
    expect(names((await browser.get('/settings/tags?sort=nonsense&q=')).text)).toEqual(['Mountains', 'Sea']);
  });

  it('is shown page by page, with the search', async () => {
    const tags = Array.from({ length: 60 }, (_, at) => ({ name: `tag ${String(at).padStart(2, '0')}` }));
    await actor.post('/tags', { tags });
    const first = await browser.get('/settings/tags?q=tag&sort=-name');
    const next = present(/href="(\/settings\/tags\?[^"]*cursor=[^"]*)"/.exec(first.text)?.[1]).replaceAll('&amp;', '&');
    const second = await browser.get(next);
    expect([...names(first.text), ...names(second.text)]).toEqual(tags.map(({ name }) => name).reverse());
    expect(second.text).toContain('This is the last page.');
    expect((await browser.get('/settings/tags?cursor=nonsense')).status).toBe(400);
  });

  it('shows names as they are, whatever they hold', async () => {
    await tag('<script>alert(1)</script>');
    const { text } = await browser.get('/settings/tags');
    expect(text).toContain('&lt;script>alert(1)&lt;/script>');
    expect(text).not.toContain('<script>alert');
  });
});

describe('a form for a tag', () => {
  const fields = { name: 'Sea', color: '#3b7dd8', otherColor: '#888888', description: 'Salt' };

  it('creates a tag, and shows errors beside the field', async () => {
    const made = await browser.submit('/settings/tags/new', fields);
    expect([made.status, made.headers.location]).toEqual([303, '/settings/tags']);
    expect((await browser.get('/settings/tags')).text).toContain('The tag “Sea” was created.');
    const [stored] = (await actor.get('/tags')).body.data;
    expect(stored).toMatchObject({ name: 'Sea', color: '#3b7dd8', description: 'Salt' });
    const again = await browser.submit('/settings/tags/new', { ...fields, name: ' SEA ' });
    expect(again.status).toBe(409);
    expect(again.text).toContain('A tag with this name already exists');
    expect(again.text).toContain('or merge the two');
    expect(again.text).not.toContain('mergeTagIds');
    expect(again.text).toContain('value=" SEA "');
    const blank = await browser.submit('/settings/tags/new', { ...fields, name: ' ' });
    expect(blank.status).toBe(400);
    expect(blank.text).toContain('aria-invalid="true"');
  });

  it('accepts no colour, one of the palette, or any other', async () => {
    const id = await tag('Sea');
    for (const [color, kept] of [
      ['other', '#010203'],
      ['#d64545', '#d64545'],
      ['', null],
    ] as const) {
      const saved = await browser.submit(`/settings/tags/${id}`, { ...fields, color, otherColor: '#010203' });
      expect(saved.status).toBe(303);
      expect((await actor.get(`/tags/${id}`)).body.color).toBe(kept);
      expect((await browser.get(`/settings/tags/${id}`)).text).toContain(kept ?? 'stroke-dasharray');
    }
    const wrong = await browser.submit(`/settings/tags/${id}`, { ...fields, color: 'red" onload="x' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('color must look like #3366ff.');
    expect(wrong.text).not.toContain('onload="x');
  });

  it('renames the tag on all photos', async () => {
    const id = await tag('Sea');
    const { id: photoId } = await photo(id);
    await browser.submit(`/settings/tags/${id}`, { ...fields, name: 'Ocean' });
    expect((await actor.get(`/photos/${photoId}`)).body.tags).toEqual([{ id, name: 'Ocean' }]);
  });
});

describe('merging', () => {
  it('is described before it is done', async () => {
    const [sea, ocean, lake] = [await tag('Sea'), await tag('Ocean'), await tag('Lake')];
    await photo(sea, ocean);
    await photo(ocean);
    await photo(lake);
    const page = `/settings/tags/merge?id=${sea}&id=${ocean}`;
    const shown = await browser.get(page);
    expect(shown.text).toContain('Merge 2 tags into one');
    expect(shown.text).toContain('2 photos will have the remaining tag');
    expect(shown.text).toMatch(new RegExp(`value="${ocean}" checked`));
    const ids = { id: [String(sea), String(ocean)], into: String(ocean) };
    const merged = await browser.submit(page, ids, '/settings/tags/merge');
    expect(merged.status).toBe(303);
    const list = await browser.get('/settings/tags');
    expect(list.text).toContain('1 tag merged into “Ocean”, now on 2 photos.');
    expect(names(list.text)).toEqual(['Lake', 'Ocean']);
  });

  it('requires at least two tags, and at most 21', async () => {
    const id = await tag('Sea');
    const many = Array.from({ length: 22 }, (_, at) => `id=${at + 1}`).join('&');
    for (const query of ['', `id=${id}`, `id=${id}&id=${id}`, many]) {
      expect((await browser.get(`/settings/tags/merge?${query}`)).headers.location).toBe('/settings/tags');
      expect((await browser.get('/settings/tags')).text).toContain('Select two or more tags');
    }
  });

  it('of another customer’s tags finds none, and changes none', async () => {
    const stranger = await app.customer();
    const [own, theirs] = [await tag('Sea'), await tag('Sea', stranger)];
    expect((await browser.get(`/settings/tags/merge?id=${own}&id=${theirs}`)).status).toBe(404);
    for (const into of [own, theirs]) {
      const ids = { id: [String(own), String(theirs)], into: String(into) };
      expect((await browser.submit('/settings/tags/new', ids, '/settings/tags/new')).status).toBe(400);
      const token = present(
        /name="_csrf" value="([0-9a-f]+)"/.exec((await browser.get('/settings/tags/new')).text)?.[1],
      );
      expect((await browser.post('/settings/tags/merge', { ...ids, _csrf: token })).status).toBe(404);
    }
    expect((await stranger.get(`/tags/${theirs}`)).status).toBe(200);
    const caller = {
      customerId: stranger.customerId,
      apiKeyId: null,
      scopes: [],
      ipRestricted: false,
      actor: commandLine,
    };
    await expect(previewMerge(app.ports, caller, [own])).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('deleting', () => {
  it('asks for confirmation with the number of photos, then deletes', async () => {
    const id = await tag('Sea');
    const { id: photoId } = await photo(id);
    const page = `/settings/tags/${id}/delete`;
    expect((await browser.get(page)).text).toContain('1 photo will lose it');
    expect((await browser.submit(page)).status).toBe(303);
    expect((await browser.get('/settings/tags')).text).toContain('The tag “Sea” was deleted.');
    expect((await actor.get(`/photos/${photoId}`)).body.tags).toEqual([]);
    expect((await browser.get(page)).status).toBe(404);
  });
});

it('another customer’s tag is not found', async () => {
  const stranger = await app.customer();
  const id = await tag('Theirs', stranger);
  for (const path of [`/settings/tags/${id}`, `/settings/tags/${id}/delete`]) {
    const [theirs, nothing] = [await browser.get(path), await browser.get(path.replace(String(id), '9999999'))];
    expect([theirs.status, nothing.status]).toEqual([404, 404]);
    const token = present(/name="_csrf" value="([0-9a-f]+)"/.exec((await browser.get('/settings/tags/new')).text)?.[1]);
    expect((await browser.post(path, { name: 'mine', _csrf: token })).status).toBe(404);
  }
  expect((await stranger.get(`/tags/${id}`)).body.name).toBe('Theirs');
});
