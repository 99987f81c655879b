import { BULK_BATCH } from '../../src/core/bulk-edits/bulk-edit.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { BrowserClient, type Fields } from '../api/support/browser-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { sampleExif, samplePhoto } from '../support/samples.js';

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

const taken = { takenAtLocal: '2024-06-01T12:00:00', timeZone: '+00:00' };

/** Photos without bytes. */
const add = (count: number) =>
  app.ports.store.transaction(actor.customerId, async ({ photos, importPhotos: items }): Promise<readonly Id[]> => {
    const ids = await items.allocateIds(count);
    for (const id of ids) await photos.insert(samplePhoto(actor.customerId, id), [], sampleExif);
    return ids;
  });
const photo = async (id: Id | undefined) => (await actor.get(`/photos/${id}?trashed=any`)).body;
const choose = (what: string, ids: readonly Id[], more: Fields = {}, query = '') =>
  browser.submit(
    `/settings/library${query}`,
    { do: what, ids: ids.map(String), ...more },
    `/settings/library/selection${query}`,
  );
const token = async () =>
  /name="csrf-token" content="([0-9a-f]+)"/.exec((await browser.get('/settings/library')).text)?.[1] ?? '';
const flash = async (path = '/settings/library') =>
  /class="flash [a-z]+"[^>]*>([^<]*)</.exec((await browser.get(path)).text)?.[1];
const undoPaths = (html: string) =>
  [...html.matchAll(/action="(\/settings\/history\/\d+\/undo)"/g)].map(([, path]) => path);

describe('actions on selected photos, without scripts', () => {
  it('remove tags, rate, rotate, and change capture times', async () => {
    const [a, b] = await add(2);
    const ids = [a, b].map(Number);
    await actor.patch(`/photos/${a}`, taken);
    await choose('tag', ids, { tag: 'Rome' });
    await choose('untag', [Number(a)], { tag: 'rome' });
    expect(await flash()).toBe('“Rome” removed from 1 photo.');
    await choose('untag', ids, { tag: 'nowhere' });
    expect(await flash()).toBe('There is no tag “nowhere”.');
    await choose('rate', ids, { rating: '4' });
    expect(await flash()).toBe('2 photos rated 4 of 5 stars.');
    await choose('rate', [Number(b)], { rating: '' });
    expect(await flash()).toBe('Rating of 1 photo removed.');
    await choose('rate', ids, { rating: '9' });
    expect(await flash()).toMatch(/0 to 5/);
    await choose('rotate-left', ids);
    expect(await flash()).toBe('2 photos rotated.');
    await choose('rotate-half', [Number(b)]);
    const shift = { direction: 'back', days: '1', hours: '', minutes: '30', seconds: '', timeZone: ' Asia/Tokyo ' };
    await choose('shift', ids, shift);
    expect(await flash()).toBe('Capture time of 1 photo changed. Not changed: 1 photo (without a capture time).');
    expect(await photo(a)).toMatchObject({
      ...{ rating: 4, rotation: 270, tags: [], width: 300 },
      ...{ takenAtLocal: '2024-05-31T11:30:00', timeZone: 'Asia/Tokyo' },
    });
    expect(await photo(b)).toMatchObject({ rating: null, rotation: 90, tags: [{ name: 'Rome' }] });
    await choose('shift', ids, { direction: '', days: '', hours: 'x', minutes: '', seconds: '', timeZone: '' });
    expect(await flash()).toMatch(/whole seconds/);
    await choose('nothing', ids);
    expect(await flash()).toBe('Choose an action for these photos.');
  });

  it('are applied to all photos that match, when everything is selected', async () => {
    const ids = await add(BULK_BATCH + 1);
    await actor.patch(`/photos/${ids[3]}`, { title: 'Alone' });
    await choose('rate', [], { all: '1', rating: '5' }, '?q=alone');
    expect(await flash()).toBe('1 photo rated 5 of 5 stars.');
    await choose('trash', [], { all: '1' });
    expect(await flash()).toBe(`Move to the trash: in progress, ${BULK_BATCH} of ${BULK_BATCH + 1} photos.`);
    const { text } = await browser.get('/settings/library');
    expect(text).toMatch(/<progress id="bulk-edit-\d+" max="101" value="100">/);
    expect(text).toContain('100 of 101 photos');
    await app.work();
    expect((await browser.get('/settings/library')).text).not.toContain('<progress id="bulk-edit');
    expect((await actor.get('/photos?limit=1')).body.data).toEqual([]);
    await choose('restore', [], { all: '1' }, '?view=trash');
    await choose('rate', [], { all: '1', rating: '5' }, '?from=x');
    expect(await flash()).toBe('The start date is not a valid date.');
  });

  it('download originals byte for byte, under names that differ', async () => {
    const contents = [picture('one'), picture('two'), picture('three')];
    const files = contents.map((content, at) => ({ filename: at < 2 ? 'same.jpg' : 'other.jpg', content }));
    const ids: Id[] = (await importPhotos(app, actor, files)).map(({ id }) => id);
    const answer = await browser.submit(
      '/settings/library',
      { ids: ids.slice(0, 2).map(String) },
      '/settings/library/selection/photos.zip',
    );
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/zip']);
    expect(answer.headers['content-disposition']).toContain('photos.zip');
    const found = contents.map((content) => answer.bytes.includes(Buffer.from(content)));
    expect([...found, answer.bytes.includes(`same (${ids[1]}).jpg`)]).toEqual([true, true, false, true]);
    const none = await browser.submit('/settings/library', {}, '/settings/library/selection/photos.zip');
    expect(none.status).toBe(400);
  });

  it('leave out originals that are deleted while the archive is sent, and break it off when the store fails', async () => {
    const contents = ['first', 'trashed', 'purged', 'purged when its turn came', 'last'].map((name) =>
      picture(`${name} of an archive`),
    );
    const files = contents.map((content, at) => ({ filename: `${at}.jpg`, content }));
    const ids: Id[] = (await importPhotos(app, actor, files)).map(({ id }) => id);
    const { blobs } = app.ports;
    const get = blobs.get.bind(blobs);
    /** Of all five, with this done when one of them is opened. */
    const downloaded = async (meanwhile: (opened: number) => unknown) => {
      let opened = 0;
      blobs.get = async (...given) => {
        opened += 1;
        await meanwhile(opened);
        return get(...given);
      };
      try {
        const chosen = { ids: ids.map(String) };
        return await browser.submit('/settings/library', chosen, '/settings/library/selection/photos.zip');
      } finally {
        blobs.get = get;
      }
    };
    const failing = (opened: number) => {
      if (opened === 2) throw new DomainError('service_unavailable', 'on purpose');
    };
    await expect(downloaded(failing)).rejects.toThrow();
    const { bytes } = await downloaded(async (opened) => {
      if (opened === 1) await actor.delete(`/photos/${ids[1]}`);
      if (opened === 1) await actor.delete(`/photos/${ids[2]}?permanent=true`);
      if (opened === 2) await actor.delete(`/photos/${ids[3]}?permanent=true`);
    });
    const found = contents.map((content) => bytes.includes(Buffer.from(content)));
    expect([...found, bytes.includes('1.jpg')]).toEqual([true, false, false, false, true, false]);
  });
});

describe('the history', () => {
  it('lists what was done to many photos, and undoes it', async () => {
    expect((await browser.get('/settings/history')).text).toContain('Nothing yet');
    const ids = await add(3);
    await choose('rate', ids, { rating: '2' });
    await choose('tag', ids, { tag: '<b>Rome</b>' });
    const { text } = await browser.get('/settings/history');
    expect(text.indexOf('Add tag “&lt;b>Rome')).toBeLessThan(text.indexOf('Rate 2 of 5 stars'));
    expect(text).not.toContain('<b>Rome');
    expect(text).toContain(`m.${actor.customerId}@example.com`);
    const [tag = '', rate = ''] = undoPaths(text).map(String);
    await actor.patch(`/photos/${ids[0]}`, { rating: 5 });
    const undone = await browser.submit('/settings/history', {}, rate);
    expect(undone.headers.location).toBe('/settings/history');
    expect(await flash('/settings/history')).toBe(
      'Undone: 2 photos are as before. Left alone: 1 photo that changed or disappeared since.',
    );
    const after = (await browser.get('/settings/history')).text;
    expect(undoPaths(after)).toEqual([tag]);
    expect(after).toContain(`Undone by m.${actor.customerId}@example.com`);
    expect([await photo(ids[0]), await photo(ids[1])]).toMatchObject([{ rating: 5 }, { rating: null }]);
    await browser.post(`${tag}?from=library`, { _csrf: await token() });
    expect(await flash('/settings/library')).toBe('Undone: 3 photos are as before.');
  });

  it('reports to scripts the progress of an edit, and its results', async () => {
    await add(BULK_BATCH * 2);
    const fields = { _csrf: await token(), do: 'rate', rating: '1', all: '1' };
    const begun = await browser.post('/settings/library/selection', fields, { accept: 'application/json' });
    const { id } = begun.body.edit;
    const progress = { processed: 100, total: 200, progress: '100 of 200 photos', title: 'Rate 1 of 5 stars', id };
    expect(begun.body).toMatchObject({ kind: 'done', edit: progress });
    const status = async () =>
      (await browser.get(`/settings/history/${id}/state`, { accept: 'application/json' })).body;
    expect(await status()).toEqual(begun.body);
    await app.work();
    const undo = { action: `/settings/history/${id}/undo?from=library`, field: 'edit', values: [id] };
    expect(await status()).toEqual({ kind: 'done', text: '200 photos rated 1 of 5 stars.', undo });
    const headers = { accept: 'application/json' };
    const undoing = await browser.post(undo.action, { _csrf: await token(), edit: id }, headers);
    expect(undoing.body).toMatchObject({ edit: { id, title: 'Undoing: Rate 1 of 5 stars', processed: 100 } });
    await app.work();
    expect(await status()).toEqual({ kind: 'done', text: 'Undone: 200 photos are as before.' });
  });

  it('links to older edits', async () => {
    const ids = await add(1);
    for (let at = 0; at < 51; at += 1) await choose('rate', ids, { rating: String(at % 6) });
    const first = (await browser.get('/settings/history')).text;
    const [, next = ''] = /href="(\/settings\/history\?before=\d+)" rel="next"/.exec(first) ?? [];
    const second = (await browser.get(next)).text;
    expect([undoPaths(first).length, undoPaths(second).length, second.includes('rel="next"')]).toEqual([50, 1, false]);
  });

  it('of another account is not found', async () => {
    const ids = await add(1);
    await choose('rate', ids, { rating: '1' });
    const [path = ''] = undoPaths((await browser.get('/settings/history')).text).map(String);
    const other = await app.customer('Studio South');
    const stranger = new BrowserClient(app.url);
    await stranger.enter(app.ports, other.customerId, 'editor', `m.${other.customerId}@example.com`);
    const { text } = await stranger.get('/settings/history');
    expect(text).toContain('Nothing yet');
    const csrf = /name="csrf-token" content="([0-9a-f]+)"/.exec(text)?.[1] ?? '';
    expect((await stranger.post(path, { _csrf: csrf })).status).toBe(404);
    expect((await stranger.get(path.replace('/undo', '/state'))).status).toBe(404);
    expect(await photo(ids[0])).toMatchObject({ rating: 1 });
  });
});
