import type { Id } from '../../src/core/shared/ids.js';
import { BrowserClient, type Fields } from '../api/support/browser-client.js';
import { importPhotos, picture, sha256 } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

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

/** Twenty at a time: one request takes no more. */
const add = async (...names: string[]): Promise<Id[]> => {
  const ids: Id[] = [];
  for (let at = 0; at < names.length; at += 20) {
    const files = names.slice(at, at + 20).map((name) => {
      return { filename: `${name}.jpg`, content: picture(`${name} of ${actor.customerId}`) };
    });
    ids.push(...(await importPhotos(app, actor, files)).map(({ id }) => id));
  }
  return ids;
};
const shownIds = (html: string) =>
  [...html.matchAll(/href="\/settings\/photos\/([0-9]+)/g)].map(([, id]) => Number(id));
const photo = async (id: Id, query = '') => (await actor.get(`/photos/${id}${query}`)).body;
const token = async () =>
  /name="csrf-token" content="([0-9a-f]+)"/.exec((await browser.get('/settings/library')).text)?.[1];
const flash = async (path: string) => /class="flash [a-z]+"[^>]*>([^<]*)</.exec((await browser.get(path)).text)?.[1];

describe('the library', () => {
  it('is the first page after signing in, and while it is empty it invites to drop photos', async () => {
    expect((await browser.get('/settings')).headers.location).toBe('/settings/library');
    const { status, text } = await browser.get('/settings/library');
    expect(status).toBe(200);
    expect(text).toContain('Your library is empty. Drop photos here');
    expect(text).toMatch(/<form[^>]* action="\/settings\/import"[^>]* enctype="multipart\/form-data"/);
  });

  it('shows the first steps, of which each leads somewhere, until there are photos', async () => {
    const stepsOf = async (role: 'admin' | 'viewer') => {
      const client = new BrowserClient(app.url);
      await client.enter(app.ports, actor.customerId, role, `${role}.${actor.customerId}@example.com`);
      const { text } = await client.get('/settings/library');
      const [steps = ''] = /<section class="first-steps".*?<\/section>/s.exec(text) ?? [];
      for (const [, link = ''] of steps.matchAll(/href="([^"]+)"/g)) expect((await client.get(link)).status).toBe(200);
      return { text, titles: [...steps.matchAll(/<h3>([^<]+)/g)].map(([, title]) => title) };
    };
    expect((await stepsOf('admin')).titles).toEqual(['Add photos', 'Look, tag and share', 'Connect a program']);
    // Who only looks can do none of that, and is not asked to.
    const { text, titles } = await stepsOf('viewer');
    expect([titles, text.includes('No photos yet'), text.includes('Drop')]).toEqual([[], true, false]);
    await add('alps');
    expect((await stepsOf('admin')).titles).toEqual([]);
  });

  it('shows photos with their sizes and signed thumbs, and leads on by cursors', async () => {
    const ids = await add(...Array.from({ length: 61 }, (_, n) => `p${n}`));
    const first = await browser.get('/settings/library?sort=-createdAt');
    const [next] = /\/settings\/library\?sort=-createdAt&amp;cursor=[^"]+/.exec(first.text) ?? [];
    const second = await browser.get(String(next).replaceAll('&amp;', '&'));
    expect([...shownIds(first.text), ...shownIds(second.text)].sort((a, b) => a - b)).toEqual(ids);
    expect(second.text).not.toContain('rel="next"');
    const [image = ''] =
      /<img src="http:\/\/photos\.test\/renditions\/[^"]+"[^>]* width="320" height="240"[^>]*>/.exec(first.text) ?? [];
    // No rendition of a photo of 400 × 300 is wider than the photo.
    expect([...image.matchAll(/ (\d+)w/g)].map(([, width]) => width)).toEqual(['320', '400']);
    expect(image).toContain('sizes="(max-width: 42rem) 45vw, 16.0rem"');
    expect(first.text).toMatch(/<li id="photo-\d+" class="shape-13"/);
    expect(first.text).toContain('>61 photos<');
    expect(first.text).not.toMatch(/<style| style=/);
    expect((await browser.get(`${next}x`.replaceAll('&amp;', '&'))).status).toBe(400);
  });

  it('is filtered by words, tag, days and import', async () => {
    const [a = 0, b = 0, c = 0] = await add('alps', 'beach', 'city');
    await actor.put(`/photos/${a}/tags`, { tagNames: ['Snow & Ice'] });
    await actor.patch(`/photos/${b}`, { takenAtLocal: '2020-05-01T00:00:00', timeZone: '+00:00' });
    await actor.patch(`/photos/${c}`, { takenAtLocal: '2020-05-02T23:59:59', timeZone: '+00:00' });
    const { importId } = await photo(a);
    const shown = async (query: string) => shownIds((await browser.get(`/settings/library?${query}`)).text);
    expect(await shown('q=alp')).toEqual([a]);
    expect(await shown('tag=snow+%26+ice')).toEqual([a]);
    expect(await shown('from=2020-05-01&to=2020-05-02')).toEqual([c, b]);
    expect(await shown('from=2020-05-02')).toEqual([c]);
    expect(await shown('to=2020-05-01')).toEqual([b]);
    expect(await shown('sort=filename')).toEqual([a, b, c]);
    expect((await shown(`import=${importId}`)).length).toBe(3);
    expect(await shown('import=999999')).toEqual([]);
    expect(await shown('tag=nothing')).toEqual([]);
    for (const query of ['tag=nothing', 'from=2020-02-31', 'to=x', 'q=%21%21', 'q=a+b+c+d+e+f+g+h+i+j+k']) {
      const { status, text } = await browser.get(`/settings/library?${query}`);
      expect([query, status]).toEqual([query, 200]);
      expect(text).toContain('class="flash failed"');
    }
  });

  it('is searched by words of every script, and by emoji', async () => {
    const [a = 0, b = 0] = await add('IMG_東京タワー', 'วันหยุด🎂');
    const shown = async (q: string) => {
      const { text } = await browser.get(`/settings/library?q=${encodeURIComponent(q)}`);
      expect(text).not.toContain('class="flash failed"');
      return shownIds(text);
    };
    expect([await shown('京タワ'), await shown('หยุด'), await shown('🎂')]).toEqual([[a], [b], [b]]);
    expect([await shown('京都'), await shown('หยดุ'), await shown('🎉')]).toEqual([[], [], []]);
    expect(await flash(`/settings/library?q=${encodeURIComponent('・')}`)).toContain('emoji');
    const query = `/settings/library?q=${encodeURIComponent('หยุด🎂')}`;
    await browser.submit(query, { name: '🎂' }, '/settings/searches');
    const { text } = await browser.get('/settings/library');
    const [, saved = ''] = /<nav aria-label="Saved searches">.*?href="([^"]+)"[^>]*>🎂</s.exec(text) ?? [];
    expect(shownIds((await browser.get(saved)).text)).toEqual([b]);
  });

  it('is filtered by everything in the panel, whose values are counted', async () => {
    const [a = 0, b = 0, c = 0] = await add('alps', 'beach', 'city');
    await actor.put(`/photos/${a}/tags`, { tagNames: ['Snow'] });
    await actor.patch(`/photos/${a}`, { rating: 5, location: { latitude: 48.858, longitude: 2.294, altitude: null } });
    await actor.patch(`/photos/${b}`, { rating: 3, location: { latitude: -18.1, longitude: 178.4, altitude: null } });
    const shown = async (query: string) => {
      const { text } = await browser.get(`/settings/library?sort=filename&${query}`);
      expect(text).not.toContain('class="flash failed"');
      return shownIds(text);
    };
    expect([await shown('rating=3'), await shown('rating=4')]).toEqual([[a, b], [a]]);
    expect([await shown('tagged=yes'), await shown('tagged=no')]).toEqual([[a], [b, c]]);
    expect([await shown('located=yes'), await shown('located=no')]).toEqual([[a, b], [c]]);
    expect([await shown('box=2,48,3,49'), await shown('box=170,-20,-170,-10')]).toEqual([[a], [b]]);
    expect([await shown('aspect=landscape'), await shown('aspect=square')]).toEqual([[a, b, c], []]);
    expect([await shown('format=image/jpeg'), await shown('format=image/png')]).toEqual([[a, b, c], []]);
    expect([await shown('country=FR'), await shown('place=paris')]).toEqual([[a], [a]]);
    expect([await shown('camera=canon'), await shown('lens=zoom')]).toEqual([[], []]);
    await app.ports.store.transaction(actor.customerId, async ({ photos }) => {
      const camera = { make: 'Canon', model: 'R5', lens: 'RF 24-70mm F2.8' };
      for (const photo of await photos.lock([a, b])) await photos.update({ ...photo, camera });
    });
    expect(await shown('lens=RF+24-70mm+F2.8')).toEqual([a, b]);
    expect(await shown('camera=Canon+R5')).toEqual([a, b]);
    const { text } = await browser.get('/settings/library?panel=open');
    const options = (name: string) => {
      const [select = ''] = new RegExp(`<select id="filter-${name}".*?</select>`, 's').exec(text) ?? [];
      return [...select.matchAll(/<option value="([^"]+)"[^>]*>([^<]*)</g)].map(([, value, label]) => [value, label]);
    };
    expect(options('rating').slice(2)).toEqual([
      ['3', '3 stars or more (2)'],
      ['4', '4 stars or more (1)'],
      ['5', '5 stars (1)'],
    ]);
    expect(options('country')).toEqual([
      ['FJ', 'Fiji (1)'],
      ['FR', 'France (1)'],
    ]);
    expect(options('camera')).toEqual([['Canon R5', 'Canon R5 (2)']]);
    expect(options('aspect')).toEqual([['landscape', 'Landscape (3)']]);
    expect(options('lens')).toEqual([['RF 24-70mm F2.8', 'RF 24-70mm F2.8 (2)']]);
    expect(options('tagged')).toEqual([
      ['yes', 'With tags (1)'],
      ['no', 'Without tags (2)'],
    ]);
    expect(options('format')).toEqual([['image/jpeg', 'JPEG (3)']]);
  });

  it('names its filters, and links to the list without each', async () => {
    const [a = 0] = await add('alps', 'beach');
    await actor.patch(`/photos/${a}`, { rating: 5 });
    const chips = async (query: string) => {
      const { text } = await browser.get(`/settings/library?${query}`);
      const [list = ''] = /<ul class="narrowed".*?<\/ul>/s.exec(text) ?? [];
      return [...list.matchAll(/href="([^"]*)"[^>]*>(.*?) <span/g)].map(([, path, label]) => [label, path]);
    };
    expect(await chips('q=alps&rating=4&camera=Canon+%3Cb%3E&box=2,48,3,49.5')).toEqual([
      ['“alps”', '/settings/library?rating=4&amp;camera=Canon+%3Cb%3E&amp;box=2%2C48%2C3%2C49.5'],
      ['4 stars or more', '/settings/library?q=alps&amp;camera=Canon+%3Cb%3E&amp;box=2%2C48%2C3%2C49.5'],
      ['Camera Canon &lt;b>', '/settings/library?q=alps&amp;rating=4&amp;box=2%2C48%2C3%2C49.5'],
      ['Area 48° N to 49.5° N, 2° E to 3° E', '/settings/library?q=alps&amp;rating=4&amp;camera=Canon+%3Cb%3E'],
    ]);
    const { text } = await browser.get('/settings/library?rating=5&q=nothing');
    expect(text).toContain('No photos match');
    expect(text).toMatch(/<a href="\/settings\/library"[^>]*>show all/);
    // A search without the panel keeps what narrows the list.
    const closed = await browser.get('/settings/library?rating=5&panel=closed');
    expect(closed.text).toMatch(/<input type="hidden" name="rating" value="5"/);
    expect(closed.text).not.toContain('<select id="filter-rating"');
    expect(shownIds(closed.text)).toEqual([a]);
  });

  it('saves its filters under a name, which can be renamed and deleted', async () => {
    const [a = 0] = await add('alps', 'beach');
    await actor.patch(`/photos/${a}`, { rating: 5 });
    const library = '/settings/library?rating=5';
    expect((await browser.get('/settings/library')).text).not.toContain('Save this search');
    const saved = await browser.submit(library, { name: 'Best <b>' }, '/settings/searches');
    expect(saved.headers.location).toBe(library);
    const { text } = await browser.get('/settings/library');
    expect(text).toContain('Search “Best &lt;b>” saved.');
    expect(text).toMatch(/<nav aria-label="Saved searches">.*href="\/settings\/library\?rating=5"[^>]*>Best &lt;b></s);
    const [, id] = /\/settings\/searches\/(\d+)\/rename/.exec(text) ?? [];
    await browser.submit(library, { name: '' }, `/settings/searches/${id}/rename`);
    expect(await flash(library)).toBe('The name must not be empty.');
    await browser.submit(library, { name: 'Stars' }, `/settings/searches/${id}/rename`);
    expect((await browser.get(library)).text).toMatch(/aria-current="true"[^>]*>Stars</);
    await browser.submit(library, { name: 'stars' }, `/settings/searches/${id}/delete`);
    expect((await browser.get('/settings/library')).text).not.toContain('Saved searches');
  });

  it('reports values that it does not understand, and shows the rest', async () => {
    const [a = 0] = await add('alps');
    const wrong = [
      'rating=9',
      'country=fr',
      'aspect=round',
      'format=text/html',
      'tagged=1',
      'box=1,2,3',
      'camera=!',
      'lens=!',
    ];
    for (const query of wrong) {
      const { status, text } = await browser.get(`/settings/library?${query}`);
      expect([query, status, shownIds(text)]).toEqual([query, 200, [a]]);
      expect(text).toContain('class="flash failed"');
    }
    const similar = await browser.get('/settings/library?similar=999999');
    expect(similar.text).toContain('No photos can be compared with that one.');
    expect(shownIds(similar.text)).toEqual([]);
  });

  it('shows photos that are similar to a photo', async () => {
    const [a = 0, b = 0, c = 0] = await add('a', 'b', 'c');
    for (const [id, phash] of [
      [a, '00000000000000ff'],
      [b, '00000000000000fe'],
      [c, 'ffffffffffffffff'],
    ] as const) {
      await app.ports.store.transaction(actor.customerId, async ({ photos }) => {
        const [photo] = await photos.lock([id]);
        if (photo) await photos.update({ ...photo, phash });
      });
    }
    expect(shownIds((await browser.get(`/settings/library?similar=${a}`)).text)).toEqual([b]);
  });

  const choose = (what: string, ids: Id[], more = {}, query = '') => {
    const page = `/settings/library${query}`;
    const action = `/settings/library/selection${query}`;
    return browser.submit(page, { do: what, ids: ids.map(String), ...more }, action);
  };

  it('tags, trashes, restores and deletes selected photos, without scripts', async () => {
    const [a = 0, b = 0, c = 0] = await add('a', 'b', 'c');
    expect((await choose('tag', [a, b], { tag: ' Holiday ' })).headers.location).toBe('/settings/library');
    const behind = await browser.get('/settings/library', { 'x-background': '1' });
    expect(behind.text).not.toContain('class="flash');
    expect(await flash('/settings/library')).toBe('2 photos tagged “Holiday”.');
    expect((await photo(b)).tags.map(({ name }: { name: string }) => name)).toEqual(['Holiday']);
    await choose('tag', [a], { tag: '' });
    expect(await flash('/settings/library')).toMatch(/1 to 100 characters/);
    await choose('trash', [a, b, 999_999]);
    expect(await flash('/settings/library')).toBe(
      '2 photos moved to the trash. Not changed: 1 photo (deleted meanwhile).',
    );
    expect(shownIds((await browser.get('/settings/library')).text)).toEqual([c]);
    const trash = await browser.get('/settings/library?view=trash');
    expect(shownIds(trash.text).sort((x, y) => x - y)).toEqual([a, b]);
    expect(trash.text).toContain(`src="/settings/photos/${a}/rendition/thumb"`);
    const back = await choose('restore', [a], {}, '?view=trash');
    expect(back.headers.location).toBe('/settings/library?view=trash');
    expect((await photo(a)).trashedAt).toBeNull();
    const asked = await choose('delete', [b], {}, '?view=trash');
    expect([asked.status, asked.text.includes('Permanently delete 1 photo?')]).toEqual([200, true]);
    expect((await photo(b, '?trashed=any')).id).toBe(b);
    await choose('delete', [b], { confirmed: 'yes' }, '?view=trash');
    expect((await actor.get(`/photos/${b}?trashed=any`)).status).toBe(404);
    await choose('trash', []);
    expect(await flash('/settings/library')).toBe('Select some photos first.');
  });

  it('shares and deletes all photos that match, without their ids', async () => {
    const [a = 0, b = 0, c = 0] = await add('apple', 'apricot', 'cherry');
    const shared = await choose('share', [], { all: 'yes' }, '?q=ap');
    const { searchParams } = new URL(String(shared.headers.location), 'http://a');
    expect([shared.status, [...searchParams.values()].join()]).toEqual([303, `${a}.${b}`]);
    await actor.patch(`/photos/${c}`, { title: '桜の木🌸' });
    const anywhere = await choose('share', [], { all: 'yes' }, `?${new URLSearchParams({ q: 'の木 🌸' })}`);
    expect([...new URL(String(anywhere.headers.location), 'http://a').searchParams.values()]).toEqual([String(c)]);
    await choose('trash', [a]);
    const asked = await choose('delete', [], { all: 'yes' }, '?view=trash');
    expect([asked.status, asked.text.includes('Permanently delete 1 photo?')]).toEqual([200, true]);
    await choose('delete', [], { all: 'yes', confirmed: 'yes' }, '?view=trash');
    const statusOf = async (id: Id) => (await actor.get(`/photos/${id}?trashed=any`)).status;
    expect([await statusOf(a), await statusOf(b), await statusOf(c)]).toEqual([404, 200, 200]);
  });

  it('puts photos under the months of the account’s time zone, newest first, and those of no known time last', async () => {
    const [a = 0, b = 0, c = 0, d = 0] = await add('a', 'b', 'c', 'd');
    await app.ports.store.transaction(actor.customerId, async ({ customer }) => {
      await customer.update({ ...(await customer.lock()), defaultTimeZone: 'Asia/Tokyo' });
    });
    const takenAt = (id: Id, takenAtLocal: string, timeZone: string) =>
      actor.patch(`/photos/${id}`, { takenAtLocal, timeZone });
    await takenAt(a, '2024-06-30T23:30:00', 'Asia/Tokyo');
    // Already July in Tokyo, although the camera’s clock showed June.
    await takenAt(b, '2024-06-30T23:30:00', 'Europe/Paris');
    await takenAt(c, '2024-07-01T00:30:00', 'Asia/Tokyo');
    const { text } = await browser.get('/settings/library');
    const sections = [...text.matchAll(/<section data-month(?:="([^"]*)")?.*?<h2>([^<]*)<\/h2>(.*?)<\/section>/gs)];
    expect(sections.map(([, month, title, photos = '']) => [month, title, shownIds(photos)])).toEqual([
      ['2024-07', 'July 2024', [b, c]],
      ['2024-06', 'June 2024', [a]],
      [undefined, 'Date not known', [d]],
    ]);
    const named = await browser.get('/settings/library?sort=filename');
    expect([shownIds(named.text), /<h2>[^<]*known/.test(named.text)]).toEqual([[a, b, c, d], false]);
  });

  it('leads to years in which photos were taken, where the list is in their order', async () => {
    const [a = 0, b = 0, c = 0, d = 0] = await add('a', 'b', 'c', 'd');
    const taken: [Id, string][] = [
      [a, '2019-12-31T23:59:59'],
      [b, '2022-01-01T00:00:00'],
      [c, '2022-12-31T23:59:59'],
      [d, '2024-05-05T00:00:00'],
    ];
    for (const [id, takenAtLocal] of taken) await actor.patch(`/photos/${id}`, { takenAtLocal, timeZone: '+00:00' });
    const years = async (query: string) => {
      const { text } = await browser.get(`/settings/library${query}`);
      const [navigation = ''] = /<nav class="years".*?<\/nav>/s.exec(text) ?? [];
      return [...navigation.matchAll(/href="([^"]+)"[^>]*>(\d+)</g)].map(([, path, year]) => [path, year]);
    };
    expect(await years('')).toEqual([
      ['/settings/library?to=2024-12-31', '2024'],
      ['/settings/library?to=2022-12-31', '2022'],
      ['/settings/library?to=2019-12-31', '2019'],
    ]);
    expect((await years('?sort=takenAt&to=2019-12-31'))[1]).toEqual([
      '/settings/library?from=2022-01-01&amp;sort=takenAt',
      '2022',
    ]);
    expect(shownIds((await browser.get('/settings/library?to=2022-12-31')).text)).toEqual([c, b, a]);
    for (const other of ['?q=a', '?view=trash', '?sort=filename']) expect(await years(other)).toEqual([]);
  });

  it('counts the photos of each month, in the order of the list', async () => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = await add('a', 'b', 'c', 'd', 'e');
    const taken: [Id, string][] = [
      [a, '2019-12-31T23:59:59'],
      [b, '2024-02-01T00:00:00'],
      [c, '2024-02-29T23:59:59'],
      [d, '2024-03-01T00:00:00'],
    ];
    for (const [id, takenAtLocal] of taken) await actor.patch(`/photos/${id}`, { takenAtLocal, timeZone: '+00:00' });
    await actor.delete(`/photos/${d}`);
    const steps = async (query: string) => {
      const { text } = await browser.get(`/settings/library/months${query}`);
      return [...text.matchAll(/href="([^"]+)" data-time="([^"]+)"(?: data-photos="(\d+)")?/g)].map((match) =>
        match.slice(1),
      );
    };
    expect(await steps('')).toEqual([
      ['/settings/library?to=2024-12-31', '2024', undefined],
      ['/settings/library?to=2024-02-29', '2024-02', '2'],
      ['/settings/library?to=2019-12-31', '2019', undefined],
      ['/settings/library?to=2019-12-31', '2019-12', '1'],
    ]);
    expect((await steps('?sort=takenAt'))[3]).toEqual([
      '/settings/library?from=2024-02-01&amp;sort=takenAt',
      '2024-02',
      '2',
    ]);
    expect(shownIds((await browser.get('/settings/library?to=2024-02-29')).text)).toEqual([c, b, a]);
    const tile = (id: Id) => [String(id), expect.stringMatching(/^shape-\d+$/)];
    expect(JSON.parse((await browser.get('/settings/library/sections')).text)).toEqual({
      sections: [
        { month: '2024-02', title: 'February 2024', tiles: [tile(c), tile(b)] },
        { month: '2019-12', title: 'December 2019', tiles: [tile(a)] },
        { month: '', title: 'Date not known', tiles: [tile(e)] },
      ],
      older: null,
    });
  });

  it('says how many photos there are: all, those in the trash, and matches that one page holds', async () => {
    const ids = await add(...Array.from({ length: 62 }, (_, n) => `n${n}`));
    await actor.patch(`/photos/${ids[0]}`, { title: 'Alone' });
    const count = async (query: string) =>
      /<div class="list-head"><p class="soft">([^<]*)</.exec(
        (await browser.get(`/settings/library${query}`)).text,
      )?.[1];
    expect(await count('')).toBe('62 photos');
    expect(await count('?q=alone')).toBe('1 photo');
    expect(await count('?q=jpg')).toBe('');
    await actor.delete(`/photos/${ids[1]}`);
    expect([await count(''), await count('?view=trash')]).toEqual(['61 photos', '1 photo']);
  });

  it('remembers how large photos are displayed', async () => {
    await add('a');
    const size = async (query: string) =>
      /class="sections" data-size="([a-z]+)"/.exec((await browser.get(`/settings/library${query}`)).text)?.[1];
    expect(await size('')).toBe('medium');
    expect(await size('?size=large')).toBe('large');
    expect([await size(''), await size('?size=huge'), await size('?size=toString')]).toEqual([
      'large',
      'large',
      'large',
    ]);
  });

  it('gives scripts tiles by id, and what an action did, with its undo', async () => {
    const [a = 0, b = 0] = await add('a', 'b');
    const tiles = async (query: string) => shownIds((await browser.get(`/settings/library/tiles?${query}`)).text);
    expect(await tiles(`ids=${a},x,${b},999999&sort=filename`)).toEqual([a, b]);
    expect(await tiles('ids=')).toEqual([]);
    const act = async (path: string, fields: Fields) => {
      const answer = await browser.post(
        path,
        { _csrf: (await token()) ?? '', ...fields },
        { accept: 'application/json' },
      );
      return answer.body;
    };
    const answer = await act('/settings/library/selection?sort=filename', { do: 'trash', ids: [`${a}`, `${b}`] });
    const edit = (answer as { undo: { values: [string] } }).undo.values[0];
    const undo = { action: `/settings/history/${edit}/undo?from=library`, field: 'edit', values: [edit] };
    expect(answer).toEqual({ kind: 'done', text: '2 photos moved to the trash.', undo });
    expect([await tiles(`ids=${a}`), await tiles(`ids=${a}&view=trash`)]).toEqual([[], [a]]);
    expect(await act(undo.action, { edit })).toEqual({ kind: 'done', text: 'Undone: 2 photos are as before.' });
    expect([await tiles(`ids=${a}`), await tiles(`ids=${a}&view=trash`)]).toEqual([[a], []]);
    const action = '/settings/library/selection?sort=filename&do=restore';
    await actor.delete(`/photos/${a}`);
    expect(await act(action, { ids: [`${a}`] })).toMatchObject({ kind: 'done', text: '1 photo restored.' });
    expect(await act(action, { ids: [] })).toEqual({ kind: 'failed', text: 'Select some photos first.' });
    const tooMany = Array.from({ length: 10_001 }, (_, n) => String(n + 1));
    expect(await act(action, { ids: tooMany })).toEqual({
      kind: 'failed',
      text: 'Select at most 10000 photos at once.',
    });
  });

  it('lists the ids of all that match, in parts', async () => {
    const ids = await add(...Array.from({ length: 61 }, (_, n) => `i${n}`));
    await actor.patch(`/photos/${ids[3]}`, { title: 'Alone' });
    const list = async (query: string) => (await browser.get(`/settings/library/ids?${query}`)).body;
    const { ids: all, nextCursor } = await list('sort=-createdAt');
    expect([all.map(Number).sort((x: number, y: number) => x - y), nextCursor]).toEqual([ids, null]);
    expect(await list('q=alone')).toEqual({ ids: [String(ids[3])], nextCursor: null });
    expect(await list('tag=none')).toEqual({ ids: [], nextCursor: null });
    const count = async (query: string) => (await browser.get(`/settings/library/count?${query}`)).body.count;
    expect([await count(''), await count('q=alone'), await count('tag=none'), await count('view=trash')]).toEqual([
      61, 1, 0, 0,
    ]);
  });

  it('suggests names of tags', async () => {
    await actor.post('/tags', { tags: [{ name: 'Holiday' }, { name: 'Holy' }, { name: 'Work' }] });
    const { body, headers } = await browser.get('/settings/library/tag-names?q=hol', { accept: 'application/json' });
    expect(body).toEqual({ names: ['Holiday', 'Holy'] });
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('a photo', () => {
  it('is displayed no wider than it has pixels', async () => {
    const [id] = await add('alps');
    const { text } = await browser.get(`/settings/photos/${id}`);
    expect(text).toMatch(/ sizes="\(min-width: 75rem\) min\(400px, [^"]*, min\(400px, 100vw, 64vh \* 1.33\)"/);
  });

  it('shows all that is known of it, and links to its neighbours in the list', async () => {
    const [a, b, c] = await add('a', 'b', 'c');
    const { text } = await browser.get(`/settings/photos/${b}?sort=filename`);
    const { sha256: hash } = await photo(b ?? 0);
    for (const word of [hash, 'b.jpg', '400 × 300', 'Stored byte for byte']) expect(text).toContain(word);
    expect(text).toContain(`href="/settings/photos/${a}?sort=filename" rel="prev"`);
    expect(text).toContain(`href="/settings/photos/${c}?sort=filename" rel="next"`);
    expect((await browser.get(`/settings/photos/${a}?sort=filename`)).text).not.toContain('rel="prev"');
  });

  it('takes title, description, rating and time, and says what is wrong with them', async () => {
    const [id = 0] = await add('a');
    const page = `/settings/photos/${id}`;
    const words = { title: ' Fjord ', description: 'one\r\ntwo', rating: '4', takenAtLocal: '2021-02-03T04:05' };
    expect((await browser.submit(page, { ...words, timeZone: 'Europe/Oslo' })).status).toBe(303);
    expect(await photo(id)).toMatchObject({
      ...{ title: 'Fjord', description: 'one\ntwo', rating: 4 },
      ...{ takenAtLocal: '2021-02-03T04:05:00', timeZone: 'Europe/Oslo', takenAt: '2021-02-03T03:05:00.000Z' },
    });
    const { version } = await photo(id);
    await browser.submit(page, { ...words, timeZone: '' });
    expect((await photo(id)).version).toBe(version);
    const wrong = await browser.submit(page, { ...words, timeZone: 'Moon/Base', rating: '9' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('id="field-timeZone-error"');
    expect(wrong.text).toContain('value=" Fjord "');
    await browser.submit(page, { title: '', description: '', rating: '', takenAtLocal: '', timeZone: '' });
    const bare = { title: null, description: null, rating: null, takenAt: null, takenAtLocal: null };
    expect(await photo(id)).toMatchObject(bare);
  });

  it('leaves alone what a page of the release before cannot show, and line breaks that an input of one line cannot', async () => {
    const [id = 0] = await add('a');
    const page = `/settings/photos/${id}`;
    const given = { favorite: true, creator: 'Ada\nBo', copyright: '© Ada\nAll rights reserved' };
    await actor.patch(`/photos/${id}`, given);
    const fields = await browser.open(page, page);
    expect(fields).toMatchObject({ favorite: 'true', creator: 'Ada Bo', copyright: '© Ada\r\nAll rights reserved' });
    await browser.post(page, { ...fields, title: 'One' });
    expect(await photo(id)).toMatchObject({ ...given, title: 'One' });
    const { favorite: _, creator: __, copyright: ___, ...before } = await browser.open(page, page);
    await browser.post(page, { ...before, title: 'Two' });
    expect(await photo(id)).toMatchObject({ ...given, title: 'Two' });
    await browser.submit(page, { favorite: '', creator: '', copyright: 'Two' });
    expect(await photo(id)).toMatchObject({ favorite: false, creator: null, copyright: 'Two' });
  });

  it('accepts a location, keeps the altitude if that is unchanged, and explains what is wrong with it', async () => {
    const [id = 0] = await add('a');
    const page = `/settings/photos/${id}`;
    const location = { latitude: 48.858, longitude: 2.294, altitude: 35 };
    await actor.patch(`/photos/${id}`, { location });
    const stored = async () => (await photo(id)).location;
    const send = (text: string) => browser.submit(page, { location: text }, `${page}/location`);
    expect((await send('48.858, 2.294')).headers.location).toBe(page);
    expect(await stored()).toEqual(location);
    expect((await browser.get(page)).text).toContain('value="48.858, 2.294"');
    for (const text of [' -18.1,178.4 ', '-18.1° 178.4°', '-18.1; +178.4']) {
      await send(text);
      expect(await stored()).toEqual({ latitude: -18.1, longitude: 178.4, altitude: null });
      await actor.patch(`/photos/${id}`, { location });
    }
    for (const text of ['91, 0', '0, 181', 'Paris', '48.858', '1, 2, 3']) {
      const { status, text: answer } = await send(text);
      expect([text, status]).toEqual([text, 400]);
      expect(answer).toMatch(/id="field-location-error"><p>Enter latitude and longitude in degrees/);
      expect(answer).toContain(`value="${text}"`);
    }
    expect(await stored()).toEqual(location);
  });

  it('gets its former location by an undo in the history', async () => {
    const [id = 0] = await add('a');
    const list = '?sort=filename&tag=';
    const page = `/settings/photos/${id}?sort=filename`;
    await actor.patch(`/photos/${id}`, { location: { latitude: -18.1, longitude: 178.4, altitude: 35 } });
    const { location, place } = await photo(id);
    const shown = await browser.get(page);
    expect(shown.text).toMatch(/<g class="pin" data-map="pin" transform="translate\(8960 /);
    await browser.post(`/settings/photos/${id}/location${list}`, {
      _csrf: (await token()) ?? '',
      location: '48.86, 2.33',
    });
    expect(await photo(id)).toMatchObject({ location: { altitude: null }, place: { city: 'Paris' } });
    const saved = (await browser.get(page)).text;
    expect(saved).toContain('Location saved.');
    const [, undo = ''] = /action="(\/settings\/history\/\d+\/undo[^"]*)"/.exec(saved) ?? [];
    const undone = await browser.post(undo.replaceAll('&amp;', '&'), { _csrf: (await token()) ?? '' });
    expect(undone.headers.location).toBe(page);
    expect(await flash(page)).toBe('Undone: 1 photo is as before.');
    expect(await photo(id)).toMatchObject({ location, place });

    await browser.post(`/settings/photos/${id}/location/remove`, { _csrf: (await token()) ?? '' });
    expect(await flash(page)).toMatch(/^Location removed\./);
    const bare = await photo(id);
    expect([bare.location, bare.place]).toEqual([null, null]);
    await browser.post(`/settings/photos/${id}/location/remove`, { _csrf: (await token()) ?? '' });
    expect((await photo(id)).version).toBe(bare.version);
    const history = (await browser.get('/settings/history')).text;
    expect(history).toContain('Remove location');
    expect(history).toContain('Set location to 48.86, 2.33');
    expect(history).not.toContain('Location of 0');
  });

  it('is moved to another capture time', async () => {
    const [id = 0] = await add('a');
    const page = `/settings/photos/${id}`;
    await actor.patch(`/photos/${id}`, { takenAt: null });
    expect((await browser.get(page)).text).not.toContain(`${page}/shift`);
    await actor.patch(`/photos/${id}`, { takenAtLocal: '2024-06-01T12:00:00.500', timeZone: 'Asia/Tokyo' });
    const fields = { direction: 'back', days: '', hours: '1', minutes: '30', seconds: '' };
    await browser.submit(page, fields, `${page}/shift`);
    expect(await flash(page)).toBe('Capture time changed.');
    const moved = { takenAtLocal: '2024-06-01T10:30:00.500', timeZone: 'Asia/Tokyo', takenAtSource: 'client' };
    expect(await photo(id)).toMatchObject(moved);
    for (const hours of ['', '0', 'x', '0.0001', '99999999']) {
      await browser.submit(page, { ...fields, hours, minutes: '' }, `${page}/shift`);
      expect(await flash(page)).toMatch(/^Enter by how much/);
    }
    expect(await photo(id)).toMatchObject(moved);
  });

  it('shows its focus, gets another, and loses it', async () => {
    const [id = 0] = await add('a');
    const page = `/settings/photos/${id}`;
    expect((await browser.get(page)).text).not.toContain('class="focus-marker"');
    await browser.submit(page, { x: '35.5', y: '0' }, `${page}/focus`);
    expect(await flash(page)).toBe('Focus saved.');
    expect((await photo(id)).focus).toEqual({ x: 0.355, y: 0 });
    const { text } = await browser.get(page);
    expect(text).toMatch(/<svg class="focus-marker"[^>]*><circle cx="35.5%" cy="0%"/);
    expect(text).not.toMatch(/<style| style=/);
    for (const wrong of [{ x: '' }, { x: '101' }, { y: 'left' }, { x: '', y: '-1' }]) {
      await browser.submit(page, { x: '1', y: '1', ...wrong }, `${page}/focus`);
      expect(await flash(page)).toMatch(/^(Enter numbers from 0 to 100|2 fields are invalid)\.$/);
    }
    expect((await photo(id)).focus).toEqual({ x: 0.355, y: 0 });
    await browser.post(`${page}/focus/remove`, { _csrf: (await token()) ?? '' });
    expect(await flash(page)).toBe('Focus removed.');
    expect((await photo(id)).focus).toBeNull();
  });

  it('gets and loses tags, is trashed and restored, and is permanently deleted', async () => {
    const [id = 0] = await add('a');
    const page = `/settings/photos/${id}`;
    const names = async () => (await photo(id)).tags.map(({ name }: { name: string }) => name);
    await browser.submit(page, { tag: 'One' }, `${page}/tags`);
    await browser.submit(page, { tag: 'two' }, `${page}/tags`);
    expect(await names()).toEqual(['One', 'two']);
    await browser.submit(page, { tag: String((await photo(id)).tags[0].id) }, `${page}/tags/remove`);
    expect(await names()).toEqual(['two']);
    expect((await browser.submit(page, {}, `${page}/trash`)).headers.location).toBe(page);
    expect((await browser.get(page)).text).toContain('This photo is in the trash.');
    expect((await browser.get(`${page}/rendition/thumb`)).headers['content-type']).toBe('image/jpeg');
    await browser.submit(page, {}, `${page}/restore`);
    expect((await photo(id)).trashedAt).toBeNull();
    const gone = await browser.submit(`${page}/delete`);
    expect([gone.status, gone.headers.location]).toEqual([303, '/settings/library']);
    expect((await browser.get(page)).status).toBe(404);
  });

  it('is downloaded byte for byte', async () => {
    const bytes = picture(`download ${actor.customerId}`);
    const [{ id }] = (await importPhotos(app, actor, [{ filename: 'ü x.jpg', content: bytes }])) as [{ id: Id }];
    const answer = await browser.get(`/settings/photos/${id}/original`);
    expect(answer.status).toBe(200);
    expect(answer.headers['repr-digest']).toBe(`sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:`);
    expect(answer.headers['content-disposition']).toMatch(/^attachment; /);
    expect(Number(answer.headers['content-length'])).toBe(bytes.length);
  });
});

describe('a photo of another customer', () => {
  it('is not found by any page, picture or form', async () => {
    const [id = 0] = await add('mine');
    await actor.put(`/photos/${id}/tags`, { tagNames: ['secret'] });
    const before = await photo(id);
    const { importId, tags } = before;
    const stranger = await app.customer('Stranger');
    browser = new BrowserClient(app.url);
    await browser.enter(app.ports, stranger.customerId, 'owner', `s.${stranger.customerId}@example.com`);
    const page = `/settings/photos/${id}`;
    for (const path of [page, `${page}/original`, `${page}/rendition/thumb`, `${page}/delete`]) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    }
    expect(shownIds((await browser.get(`/settings/library/tiles?ids=${id}`)).text)).toEqual([]);
    expect((await browser.get('/settings/library/ids')).body.ids).toEqual([]);
    const _csrf = (await token()) ?? '';
    for (const step of [
      '',
      '/trash',
      '/restore',
      '/delete',
      '/tags',
      '/tags/remove',
      '/focus',
      '/focus/remove',
      '/shift',
    ]) {
      const fields = { tag: step === '/tags' ? 'x' : String(tags[0].id), x: '1', y: '1', hours: '1' };
      const answer = await browser.post(`${page}${step}`, { _csrf, ...fields });
      expect([step, answer.status]).toEqual([step, 404]);
    }
    for (const what of ['tag', 'trash', 'restore']) {
      await browser.post('/settings/library/selection', { _csrf, do: what, ids: String(id), tag: 'x' });
      expect(await flash('/settings/library')).toMatch(/^0 photos/);
    }
    await browser.post('/settings/library/selection', { _csrf, do: 'delete', ids: String(id), confirmed: 'yes' });
    expect(shownIds((await browser.get(`/settings/library?import=${importId}`)).text)).toEqual([]);
    const names = await browser.get('/settings/library/tag-names?q=secret', { accept: 'application/json' });
    expect(names.body).toEqual({ names: [] });
    expect({ ...(await photo(id)), thumbUrl: '', previewUrl: '' }).toEqual({ ...before, thumbUrl: '', previewUrl: '' });
  });

  it('is not changed by forms without their token', async () => {
    const [id = 0] = await add('mine');
    const page = `/settings/photos/${id}`;
    for (const path of [page, `${page}/trash`, `${page}/delete`, `${page}/tags`, '/settings/library/selection']) {
      const answer = await browser.post(path, { _csrf: 'f'.repeat(64), do: 'trash', ids: String(id), tag: 'x' });
      expect([path, answer.status]).toEqual([path, 403]);
    }
    expect(await photo(id)).toMatchObject({ trashedAt: null, tags: [] });
  });
});
