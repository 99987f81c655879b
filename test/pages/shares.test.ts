import { commandLine } from '../../src/core/audit/audit-entry.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { resumeCustomer, suspendCustomer } from '../../src/core/customers/edit-customer.js';
import { DAY } from '../../src/core/shared/clock.js';
import {
  createShare,
  editShare,
  readShare,
  revokeShare,
  type ShareContents,
} from '../../src/core/shares/own-shares.js';
import type { ShareSettings } from '../../src/core/shares/share.js';
import { REQUESTS_OF_VISITOR } from '../../src/core/shares/visitors.js';
import { BrowserClient } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { contentDispositionOf, importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { present } from '../support/tenant.js';

let app: RunningApp;
let actor: Actor;
let photos: { id: number; sha256: string; filename: string }[];
let visitor: BrowserClient;

beforeEach(async () => {
  app = await startApp();
  actor = await app.customer('Studio North');
  const files = ['a', 'b', 'c'].map((name) => ({ filename: `secret-${name}.jpg`, content: picture(name) }));
  photos = await importPhotos(app, actor, files);
  visitor = new BrowserClient(app.url);
});
afterEach(() => app.close());

const idAt = (at: number) => present(photos[at]).id;

async function share(values: Partial<ShareSettings> & ShareContents = {}, of = actor) {
  const contents = values.tagId === undefined ? { photoIds: [idAt(0), idAt(1)] } : {};
  const settings = {
    title: 'Paris & more',
    mayDownload: false,
    uploadFilesLimit: 0,
    uploadBytesLimit: 0,
    expiresAt: null,
    password: null,
  };
  const created = await createShare(app.ports, operatorFor(of.customerId), { ...settings, ...contents, ...values });
  return { id: created.share.id, token: present(created.token), path: `/s/${created.token}` };
}

/** Everything that is read below the link of a share that shows these two photos. */
const below = (path: string, id = idAt(0)) => [
  path,
  `${path}/photos.json`,
  `${path}/photos/${id}`,
  ...['thumb', 'preview', 'large', 'download'].map((what) => `${path}/photos/${id}/${what}`),
  `${path}/archive.zip`,
];
const statuses = async (paths: readonly string[], by = visitor) =>
  Promise.all(paths.map(async (path) => (await by.get(path)).status));
/** What a visitor learns, but for what each answer has of its own. */
const told = ({ status, headers, text }: Answer) => {
  const { date: _, 'x-request-id': __, etag: ___, ...others } = headers;
  return { status, others, text: text.replace(/req_\w+/g, '') };
};

test('every address below a link is in the lists of these tests, but for styles and scripts, which are the same under each', () => {
  const listed = [...below('/s/:token', 0), '/s/:token/password', '/s/:token/upload'];
  const routes = app.routes.filter(({ path }) => /^\/s\/:token(?!\/assets\/)/.test(path));
  const missing = routes.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replace(':id', '0').replace(':size', '\\w+')}$`);
    return !listed.some((each) => pattern.test(each));
  });
  expect(missing).toEqual([]);
  expect(routes.length).toBeGreaterThan(7);
});

test('visitors see the photos on a page that needs no script', async () => {
  const { path } = await share();
  const { status, headers, text } = await visitor.get(path);
  expect([status, headers['x-robots-tag'], headers['referrer-policy'], headers['set-cookie']]).toEqual([
    200,
    'noindex, nofollow',
    'no-referrer',
    undefined,
  ]);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  expect(headers['content-security-policy']).not.toContain('unsafe');
  expect(text).toContain('<h1>Paris &amp; more</h1>');
  const links = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => present(link));
  // Everything that the page needs is below its link.
  expect(links.filter((link) => !link.startsWith(path))).toEqual([]);
  expect(await statuses(links)).toEqual(links.map(() => 200));
  expect(text).toContain(`${path}/photos/${idAt(1)}`);
  for (const hidden of [`/photos/${idAt(2)}`, 'secret-', 'archive.zip', '<style']) expect(text).not.toContain(hidden);
});

test('each photo has a page that leads to those beside it', async () => {
  const { path } = await share({ photoIds: photos.map(({ id }) => id) });
  const { text: list } = await visitor.get(path);
  const ids = [...list.matchAll(/href="[^"]+\/photos\/(\d+)"/g)].map(([, id]) => id);
  const stepsOf = async (id: string | undefined) => {
    const { text } = await visitor.get(`${path}/photos/${id}`);
    return ['prev', 'next', 'up'].map((rel) => new RegExp(`rel="${rel}" href="([^"]+)"`).exec(text)?.[1]);
  };
  const at = (id: string | undefined) => `${path}/photos/${id}`;
  expect(await stepsOf(ids[0])).toEqual([undefined, at(ids[1]), path]);
  expect(await stepsOf(ids[1])).toEqual([at(ids[0]), at(ids[2]), path]);
  expect(await stepsOf(ids[2])).toEqual([at(ids[1]), undefined, path]);
});

test('photos.json has what pages show, and nothing of where or with what a photo was taken', async () => {
  const { path } = await share({ mayDownload: true });
  const { body, headers } = await visitor.get(`${path}/photos.json`, { accept: 'application/json' });
  expect(body.pagination).toEqual({ nextCursor: null, hasMore: false });
  expect(headers['cache-control']).toBe('private, no-cache, no-transform');
  const own = `${path}/photos/${idAt(0)}`;
  const [first] = body.data.filter(({ id }: { id: number }) => id === idAt(0));
  expect(first).toEqual({
    ...{ id: idAt(0), title: expect.anything(), width: 400, height: 300 },
    ...{ thumbhash: first.thumbhash, dominantColor: first.dominantColor },
    ...{ thumb: `${own}/thumb`, preview: `${own}/preview`, large: `${own}/large`, download: `${own}/download` },
  });
  expect(JSON.stringify(body)).not.toContain('secret-');
  const wrong = await visitor.get(`${path}/photos.json?cursor=nonsense`, { accept: 'application/json' });
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_cursor']);
});

test('pictures are renditions under no name of their file; the original needs permission', async () => {
  const { path, id } = await share();
  const thumb = await visitor.get(`${path}/photos/${idAt(0)}/thumb`);
  expect([thumb.status, contentDispositionOf(thumb)]).toEqual([200, { type: 'inline', filename: `${idAt(0)}.jpg` }]);
  const again = await visitor.get(`${path}/photos/${idAt(0)}/thumb`, { 'if-none-match': String(thumb.headers.etag) });
  expect(again.status).toBe(304);
  const original = `${path}/photos/${idAt(0)}/download`;
  const files = [original, `${path}/archive.zip`, `${path}/photos/${idAt(0)}/original`];
  expect(await statuses(files)).toEqual([404, 404, 404]);
  await editShare(app.ports, operatorFor(actor.customerId), id, { mayDownload: true });
  const sent = await visitor.get(original);
  expect([sent.status, sent.bytes]).toEqual([200, Buffer.from(picture('a'))]);
  expect(contentDispositionOf(sent)).toEqual({ type: 'attachment', filename: 'secret-a.jpg' });
});

describe('a link', () => {
  it('that no longer exists looks like one that never existed', async () => {
    const [revoked, expired, tagged] = [
      await share({ mayDownload: true }),
      await share({ mayDownload: true, expiresAt: new Date(app.clock.now().getTime() + DAY) }),
      await share({ mayDownload: true, password: 'seven sailors' }),
    ];
    const all = [revoked, expired, tagged].map(({ path }) => path);
    expect(await statuses(all)).toEqual([200, 200, 200]);
    await revokeShare(app.ports, operatorFor(actor.customerId), revoked.id);
    app.clock.pass(DAY);
    await suspendCustomer(app.ports, commandLine, actor.customerId);
    const unknown = `/s/${'x'.repeat(43)}`;
    for (const accept of ['text/html', 'application/json']) {
      const expected = (await Promise.all(below(unknown).map((path) => visitor.get(path, { accept })))).map(told);
      expect(new Set(expected.map(({ status }) => status))).toEqual(new Set([404]));
      for (const path of [...all, '/s/short']) {
        const answers = await Promise.all(below(path).map((each) => visitor.get(each, { accept })));
        expect(answers.map(told)).toEqual(expected);
      }
    }
    for (const form of ['password', 'upload']) {
      const posted = await Promise.all(
        [...all, unknown].map((path) => visitor.post(`${path}/${form}`, { password: 'x' })),
      );
      expect(new Set(posted.map((answer) => JSON.stringify(told(answer)))).size).toBe(1);
      expect(posted[0]?.status).toBe(404);
    }
    await resumeCustomer(app.ports, commandLine, actor.customerId);
    expect(await statuses(all)).toEqual([404, 404, 200]);
  });

  it('shows nothing that its share does not: other photos, those in the trash, those of other customers', async () => {
    const stranger = await app.customer('Stranger');
    const [foreign] = await importPhotos(app, stranger, [{ filename: 'f.jpg', content: picture('f') }]);
    const { path } = await share({ mayDownload: true });
    await actor.delete(`/photos/${idAt(1)}`);
    for (const id of [idAt(1), idAt(2), foreign.id, 999_999]) {
      const pages = below(path, id).filter((each) => each.includes(`/photos/${id}`));
      expect(await statuses(pages)).toEqual(pages.map(() => 404));
    }
    const { body } = await visitor.get(`${path}/photos.json`, { accept: 'application/json' });
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([idAt(0)]);
    for (const id of ['0', '-1', '01', '1e3', 'x', `${idAt(0)}%20`]) {
      expect((await visitor.get(`${path}/photos/${id}`)).status).toBe(404);
    }
  });

  it('appears in no line of the log, nor does its password', async () => {
    const { path, token } = await share({ password: 'seven sailors', mayDownload: true });
    await visitor.post(`${path}/password`, { password: 'seven sailors' });
    await statuses([...below(path), ...below(`/s/${'y'.repeat(43)}`), `${path}/none`, `${path}/photos/x/y/z`]);
    const log = app.log.join('');
    expect(log).toContain('/s/:token/photos/:id/download');
    for (const secret of [token, 'y'.repeat(43), 'sailors']) expect(log).not.toContain(secret);
  });

  it('is limited to the budget of an address, whatever is requested', async () => {
    const { path } = await share();
    const hit = () => app.ports.rateWindows.hit({ name: 'visits:127.0.0.1', limit: REQUESTS_OF_VISITOR });
    for (let used = 0; used < REQUESTS_OF_VISITOR - 1; used += 1) await hit();
    expect((await visitor.get(path)).status).toBe(200);
    const refused = await visitor.get(path);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    const all = [...below(path), ...below(`/s/${'x'.repeat(43)}`)];
    expect(await statuses(all)).toEqual(all.map(() => 429));
    for (const form of ['password', 'upload']) {
      expect((await visitor.post(`${path}/${form}`, { password: 'x' })).status).toBe(429);
    }
  });
});

test('visits are counted: pages, not pictures, and not before the password', async () => {
  const [open, locked] = [await share(), await share({ password: 'seven sailors' })];
  await statuses(below(open.path));
  await visitor.send({ method: 'HEAD', path: open.path });
  await visitor.get(open.path);
  await visitor.get(locked.path);
  await app.writeCounts();
  const visitsOf = async ({ id }: { id: number }) => (await readShare(app.ports, actor.customerId, id)).share;
  expect(await visitsOf(open)).toMatchObject({ visits: 2, lastVisitedAt: app.clock.now() });
  expect(await visitsOf(locked)).toMatchObject({ visits: 0, lastVisitedAt: null });
});

describe('a password', () => {
  it('is asked for before anything is shown, the title included', async () => {
    const { path } = await share({ password: 'seven sailors', mayDownload: true });
    for (const page of [path, `${path}/photos/${idAt(0)}`]) {
      const { status, text } = await visitor.get(page);
      expect([status, text.includes('type="password"'), text.includes('Paris')]).toEqual([200, true, false]);
    }
    const rest = below(path).filter((each) => each !== path && !/photos\/\d+$/.test(each));
    expect(await statuses(rest)).toEqual(rest.map(() => 403));
  });

  it('admits with a cookie that is sent for this link alone', async () => {
    const { path } = await share({ password: 'seven sailors', mayDownload: true });
    const wrong = await visitor.post(`${path}/password`, { password: 'six sailors' });
    expect([wrong.status, wrong.text.includes('not the password'), visitor.setCookies]).toEqual([401, true, []]);
    const right = await visitor.post(`${path}/password`, { password: 'seven sailors' });
    expect([right.status, right.headers.location]).toEqual([303, path]);
    const [cookie = ''] = visitor.setCookies;
    expect(cookie).toMatch(/^phs_share=[\w-]+; Max-Age=7776000; Path=(\/s\/[\w-]{43}); .*HttpOnly; SameSite=Lax$/);
    expect(cookie).toContain(`Path=${path};`);
    expect(await statuses(below(path))).toEqual(below(path).map(() => 200));
    const other = await share({ password: 'seven sailors' });
    expect((await visitor.get(other.path)).text).toContain('type="password"');
  });
});

test('a share allows only reading', async () => {
  const { path } = await share({ mayDownload: true });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answers = await Promise.all(below(path).map((each) => visitor.send({ method, path: each })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  }
});
