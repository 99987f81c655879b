import type { Id } from '../../src/core/shared/ids.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { multipart, picture, sha256 } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
let csrf: string;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = await enter(actor);
  csrf = await tokenOf(browser);
});

async function enter({ customerId }: Actor): Promise<BrowserClient> {
  const client = new BrowserClient(app.url);
  await client.enter(app.ports, customerId, 'editor', `m.${customerId}@example.com`);
  return client;
}
async function tokenOf(client: BrowserClient): Promise<string> {
  const { text } = await client.get('/settings/library');
  return /name="csrf-token" content="([0-9a-f]+)"/.exec(text)?.[1] ?? '';
}

/** As the script of the page asks. */
const ask = (path: string, body: unknown, headers: Record<string, string> = { 'x-csrf-token': csrf }) =>
  browser.send({
    method: 'POST',
    path: `/settings/import${path}`,
    body,
    headers: { accept: 'application/json', origin: app.url, ...headers },
  });
const begin = async (): Promise<Id> => (await ask('/begin', { clientRef: 'ref' })).body.id;
const announced = (name: string, bytes: Uint8Array) => ({
  filename: name,
  sizeBytes: bytes.length,
  sha256: sha256(bytes),
});
const put = (url: string, bytes: Uint8Array) =>
  app.send({ method: 'PUT', path: new URL(url).pathname, body: Buffer.from(bytes) });
const state = async (id: Id) =>
  (await browser.get(`/settings/imports/${id}/state`, { accept: 'application/json' })).body;
const files = (parts: Parameters<typeof multipart>[0], token = csrf) => {
  const { body, type } = multipart([{ name: '_csrf', content: token }, ...parts]);
  const headers = { 'content-type': type, origin: app.url };
  return browser.send({ method: 'POST', path: '/settings/import', body, headers });
};

describe('the importer’s script', () => {
  it('starts one import however often it asks, announces, sends, ends, and gets failures in words', async () => {
    const id = await begin();
    expect(await begin()).toBe(id);
    const good = picture(`good ${id}`);
    const bad = Buffer.from(`no picture ${id}`);
    const tagged = { ...announced('good.jpg', good), tagNames: ['trip'] };
    const photos = [tagged, announced('bad.jpg', bad), announced('empty.jpg', new Uint8Array())];
    const { body } = await ask(`/${id}/photos`, { photos });
    expect(body.data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['created', 'created', 'rejected']);
    expect(body.data[2].error.message).toBe('The file is empty.');
    for (const [at, bytes] of [good, bad].entries()) {
      expect((await put(body.data[at].photo.upload.url, bytes)).status).toBe(204);
    }
    const again = await ask(`/${id}/photos`, { photos: photos.slice(0, 1) });
    expect(again.body.data[0]).toMatchObject({ outcome: 'existing', photo: { status: 'processing', upload: null } });
    expect((await ask(`/${id}/finish`, { missingUploads: 'reject' })).body).toEqual({ status: 'processing' });
    await app.work();
    const ended = await state(id);
    expect(ended).toMatchObject({ status: 'completed_with_errors', progress: 1, counts: { imported: 1, failed: 2 } });
    expect(ended.failed).toEqual([
      { id: expect.any(Number), filename: 'bad.jpg', reason: 'This is not an image.' },
      { id: body.data[2].refused.id, filename: 'empty.jpg', reason: 'The file is empty.' },
    ]);
    const [photo] = (await actor.get('/photos')).body.data;
    expect(photo).toMatchObject({ filename: 'good.jpg', sha256: sha256(good), tags: [{ name: 'trip' }] });
    const page = await browser.get(`/settings/imports/${id}`);
    expect(page.text).toContain('This is not an image.');
    expect(page.text).toMatch(/empty\.jpg[\s\S]*The file is empty\./);
    const next = await begin();
    expect(next).not.toBe(id);
    const known = (await ask(`/${next}/photos`, { photos: photos.slice(0, 1) })).body.data[0];
    expect(known).toMatchObject({ outcome: 'duplicate', photo: { status: 'duplicate', upload: null } });
  });

  it('gets the result of each file when none of a batch was accepted, and of missing ones at the end', async () => {
    const id = await begin();
    const { status, body } = await ask(`/${id}/photos`, { photos: [announced('e.jpg', new Uint8Array())] });
    expect([status, body.data[0].outcome]).toEqual([200, 'rejected']);
    await ask(`/${id}/photos`, { photos: [announced('a.jpg', picture(`missing ${id}`))] });
    const refused = await ask(`/${id}/finish`, { missingUploads: 'reject' });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'uploads_incomplete']);
    expect(refused.body.error.details.missing).toBe(1);
    expect((await browser.get('/settings/import')).text).toContain(`/settings/imports/${id}`);
    expect((await browser.get(`/settings/import?import=${id}`)).text).toContain(`data-importer="${id}"`);
    expect((await ask(`/${id}/finish`, { missingUploads: 'fail' })).status).toBe(200);
    expect((await browser.get(`/settings/import?import=${id}`)).headers.location).toBe(`/settings/imports/${id}`);
  });

  it('cannot send for a customer that was suspended, nor once the address is over', async () => {
    const id = await begin();
    const bytes = picture(`late ${id}`);
    const announce = async () =>
      (await ask(`/${id}/photos`, { photos: [announced('a.jpg', bytes)] })).body.data[0].photo.upload.url;
    const url = await announce();
    const store = app.ports.store as unknown as { change(id: number, values: object): Promise<void> };
    await store.change(actor.customerId, { status: 'suspended' });
    expect((await put(url, bytes)).body.error.code).toBe('upload_forbidden');
    await store.change(actor.customerId, { status: 'active' });
    app.clock.pass(6 * 3600 * 1000);
    expect((await put(url, bytes)).body.error.code).toBe('upload_forbidden');
    expect((await put(await announce(), bytes)).status).toBe(204);
  });

  it('is refused without its token, with an error like that of the API', async () => {
    const id = await begin();
    for (const headers of [
      {},
      { 'x-csrf-token': 'f'.repeat(64) },
      { 'x-csrf-token': csrf, origin: 'https://evil.example' },
    ]) {
      for (const path of ['/begin', `/${id}/photos`, `/${id}/photos/1/arrived`, `/${id}/finish`]) {
        const { status, body } = await ask(path, { clientRef: 'x', photos: [] }, headers as Record<string, string>);
        expect([path, status, body.error.code]).toEqual([path, 403, 'url_forbidden']);
      }
    }
    browser.cookies.clear();
    expect((await ask('/begin', { clientRef: 'x' })).body.error.code).toBe('unauthorized');
  });

  it('gets an error for an invalid request', async () => {
    const id = await begin();
    expect((await ask('/begin', { clientRef: 5 })).body.error.code).toBe('invalid_request');
    expect((await ask(`/${id}/photos`, 'not json')).body.error.code).toBe('invalid_request');
    expect((await ask(`/${id}/photos`, { photos: [] })).body.error.code).toBe('invalid_request');
  });
});

describe('the plain form', () => {
  it('uploads some files with their tags, leads to their results, and reports bad ones', async () => {
    const bytes = picture(`plain ${actor.customerId}`);
    const answer = await files([
      { name: 'tags', content: 'a, b ,, a' },
      { filename: 'one.jpg', content: bytes },
      { filename: 'two.txt', content: 'words' },
    ]);
    expect(answer.status).toBe(303);
    await app.work();
    const { data } = (await actor.get('/photos')).body;
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ filename: 'one.jpg', sha256: sha256(bytes), tags: [{ name: 'a' }, { name: 'b' }] });
    const { text } = await browser.get(String(answer.headers.location));
    expect(text).toContain('Completed');
    expect(text).toContain('two.txt: This is not an image.');
  });

  it('reports that nothing was chosen, or nothing was a picture, and leaves no import open', async () => {
    expect((await files([{ filename: '', content: '' }])).headers.location).toBe('/settings/import');
    expect((await browser.get('/settings/import')).text).toContain('Select some photos first.');
    const { headers } = await files([{ filename: 'x.txt', content: 'words' }]);
    expect(headers.location).toMatch(/^\/settings\/imports\/\d+$/);
    expect((await browser.get(String(headers.location))).text).toContain('x.txt: This is not an image.');
    // Also when what is said once has been said.
    expect((await browser.get(String(headers.location))).text).toMatch(/x\.txt[\s\S]*This is not an image\./);
    expect((await browser.get('/settings/import')).text).not.toContain('Unfinished import');
  });

  it('is refused without its token, and takes no files on other routes', async () => {
    const bytes = picture(`refused ${actor.customerId}`);
    for (const token of ['', 'f'.repeat(64)]) {
      expect((await files([{ filename: 'a.jpg', content: bytes }], token)).status).toBe(403);
    }
    const { body, type } = multipart([{ name: '_csrf', content: csrf }]);
    const headers = { 'content-type': type, origin: app.url };
    const answer = await browser.send({ method: 'POST', path: '/settings/library/selection', body, headers });
    expect(answer.status).toBe(403);
    expect((await actor.get('/photos')).body.data).toEqual([]);
  });
});

describe('the list of imports', () => {
  it('shows all of them, newest first, in pages', async () => {
    for (const n of Array.from({ length: 27 }, (_, at) => at)) await actor.post('/imports', { name: `Roll ${n}` });
    const names = (html: string) => [...html.matchAll(/>(Roll [0-9]+)</g)].map(([, name]) => name);
    const first = await browser.get('/settings/imports');
    expect(names(first.text).slice(0, 2)).toEqual(['Roll 26', 'Roll 25']);
    const [, next] = /href="(\/settings\/imports\?cursor=[^"]+)"/.exec(first.text) ?? [];
    expect(names((await browser.get(String(next))).text)).toEqual(['Roll 1', 'Roll 0']);
  });

  it('links to each, which can be finished or discarded', async () => {
    const id = await begin();
    await ask(`/${id}/photos`, { photos: [announced('a.jpg', picture(`never ${id}`))] });
    const page = `/settings/imports/${id}`;
    expect((await browser.get(page)).text).toContain('Not received yet.');
    await browser.submit(page, {}, `${page}/finish`);
    expect((await browser.get(page)).text).toContain('It was registered, but never received.');
    const other = await begin();
    const path = `/settings/imports/${other}`;
    expect((await browser.submit(`${path}/discard`)).headers.location).toBe(path);
    expect((await state(other)).status).toBe('cancelled');
    await browser.post(`${path}/finish`, { _csrf: csrf });
    expect((await browser.get(path)).text).toContain('This import has ended in the meantime.');
  });

  it('shows nothing of another customer', async () => {
    const id = await begin();
    const bytes = picture(`mine ${id}`);
    const { data } = (await ask(`/${id}/photos`, { photos: [announced('mine.jpg', bytes)] })).body;
    browser = await enter(await app.customer('Stranger'));
    csrf = await tokenOf(browser);
    expect((await browser.get('/settings/imports')).text).toContain('No imports yet');
    const page = `/settings/imports/${id}`;
    for (const path of [page, `${page}/state`, `${page}/discard`, `/settings/import?import=${id}`]) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    }
    for (const path of [`${page}/finish`, `${page}/discard`]) {
      expect([path, (await browser.post(path, { _csrf: csrf })).status]).toEqual([path, 404]);
    }
    const photos = [announced('x.jpg', bytes)];
    const asked = [
      await ask(`/${id}/photos`, { photos }),
      await ask(`/${id}/photos/${data[0].photo.id}/arrived`, {}),
      await ask(`/${id}/finish`, {}),
    ];
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
