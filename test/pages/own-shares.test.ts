import { operatorFor } from '../../src/core/customers/customer.js';
import { DAY } from '../../src/core/shared/clock.js';
import { createShare, listShares } from '../../src/core/shares/own-shares.js';
import { CONFIRMED_MS } from '../../src/core/users/session.js';
import { BrowserClient, type Fields } from '../api/support/browser-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { present } from '../support/tenant.js';

const PAGE = '/settings/shares';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
let ids: number[];

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'editor', `m.${actor.customerId}@example.com`);
  const files = ['a', 'b'].map((name) => ({
    filename: `${name}.jpg`,
    content: picture(`${name} ${actor.customerId}`),
  }));
  ids = (await importPhotos(app, actor, files)).map(({ id }) => id);
});

const shares = () => listShares(app.ports, actor.customerId);
const only = async () => present((await shares())[0]);
const create = (fields: Fields, page = `${PAGE}/new`) =>
  browser.submit(page, { title: 'Paris', expiresOn: '', password: '', ...fields }, `${PAGE}/new`);
async function existing() {
  const settings = {
    title: 'Paris',
    mayDownload: false,
    uploadFilesLimit: 0,
    uploadBytesLimit: 0,
    expiresAt: null,
    password: null,
    photoIds: ids,
  };
  const { share, token } = await createShare(app.ports, operatorFor(actor.customerId), settings);
  return { share, page: `${PAGE}/${share.id}`, link: app.ports.addresses.share(present(token)) };
}

test('photos that are selected in the library are shared, and the link is shown, also for cameras', async () => {
  const selected = await browser.submit(
    '/settings/library',
    { ids: ids.map(String), do: 'share' },
    '/settings/library/selection',
  );
  const form = String(selected.headers.location);
  expect([selected.status, form]).toEqual([303, `${PAGE}/new?photos=${[...ids].sort().join('.')}`]);
  expect((await browser.get(form)).text).toContain('2 photos from your library');
  const made = await create({ mayDownload: 'yes', expiresOn: '2027-01-31', password: 'seven sailors' }, form);
  const { share, token } = await only();
  expect([made.status, made.headers.location]).toEqual([303, `${PAGE}/${share.id}`]);
  expect(share).toMatchObject({ title: 'Paris', mayDownload: true, expiresAt: new Date('2027-02-01T00:00:00Z') });
  expect([new Set(share.photoIds), share.passwordHash]).toEqual([new Set(ids), expect.any(String)]);
  const { text } = await browser.get(`${PAGE}/${share.id}`);
  expect(text).toContain('“Paris” is shared');
  expect(text).toContain(`<code id="link">http://photos.test/s/${token}</code>`);
  expect(text).toMatch(/<svg class="qr" viewBox="0 0 \d+ \d+" role="img" aria-label="QR code of the link"/);
  expect(text).not.toContain('seven sailors');
});

test('A31: a share gets its originals only from a person who has just confirmed their identity', async () => {
  const { page } = await existing();
  const edit = (mayDownload: string) =>
    browser.submit(page, { title: 'Rome', expiresOn: '', password: '', ...(mayDownload && { mayDownload }) });
  app.clock.pass(CONFIRMED_MS);
  const asked = await edit('yes');
  expect([asked.status, asked.text.includes('Confirm that it is you')]).toEqual([403, true]);
  expect(await only()).toMatchObject({ share: { title: 'Paris', mayDownload: false } });
  expect((await edit('')).status).toBe(303);
});

test('a tag is shared by its name', async () => {
  await actor.put(`/photos/${ids[0]}/tags`, { tagNames: ['Paris'] });
  const unknown = await create({ tag: 'Rome' });
  expect([unknown.status, unknown.text.includes('There is no tag “Rome”.')]).toEqual([400, true]);
  expect(unknown.text).toContain('value="Rome"');
  expect((await create({ tag: ' paris ' })).status).toBe(303);
  expect((await browser.get(PAGE)).text).toContain('All with the tag “Paris”');
  const [tag] = (await actor.get('/tags')).body.data;
  await actor.delete(`/tags/${tag.id}`);
  expect((await browser.get(PAGE)).text).toContain('the tag was deleted');
});

test.each([
  [{ title: ' ' }, 'Title must not be empty'],
  [{ expiresOn: '2026-11-20' }, 'This date is in the past'],
  [{ expiresOn: 'soon' }, 'Enter a date such as'],
  [{ password: 'short' }, 'at least 8 characters'],
])('%j is refused beside its field, and the selection stays', async (wrong, message) => {
  const form = `${PAGE}/new?photos=${ids.join('.')}`;
  const answer = await create(wrong, form);
  expect([answer.status, answer.text.includes(message)]).toEqual([400, true]);
  expect(answer.text).toContain(`name="photos" value="${ids.join('.')}"`);
  expect(await shares()).toEqual([]);
});

test('the list has each share with its link and its visits', async () => {
  expect((await browser.get(PAGE)).text).toContain('No shares yet');
  const { link } = await existing();
  expect((await browser.get(PAGE)).text).toContain('No visits yet');
  await browser.get(new URL(link).pathname);
  const { text } = await browser.get(PAGE);
  for (const shown of [link, '2 chosen photos', '1 visit, last', 'data-copy=']) expect(text).toContain(shown);
});

test('a share is edited: what is left empty stays, and a password can be removed', async () => {
  const { share, page, link } = await existing();
  const today = app.clock.now().toISOString().slice(0, 10);
  const end = new Date(Date.parse(today) + DAY);
  const fields = { title: 'Rome', expiresOn: today, password: 'seven sailors', mayDownload: 'yes' };
  expect((await browser.submit(page, fields)).status).toBe(303);
  const edited = (await only()).share;
  expect(edited).toMatchObject({ title: 'Rome', mayDownload: true, expiresAt: end });
  app.clock.pass(end.getTime() - app.clock.now().getTime());
  const again = { title: 'Rome 2', expiresOn: today, password: '' };
  expect((await browser.submit(page, again)).status).toBe(303);
  const { passwordHash, expiresAt } = edited;
  expect((await only()).share).toMatchObject({ title: 'Rome 2', mayDownload: false, passwordHash, expiresAt });
  expect((await browser.get(page)).text).toContain('This link has expired');
  await browser.submit(page, { ...again, expiresOn: '', withoutPassword: 'yes' });
  expect((await only()).share).toMatchObject({ passwordHash: null, expiresAt: null, tokenHash: share.tokenHash });
  expect((await browser.get(new URL(link).pathname)).status).toBe(200);
  const wrong = await browser.submit(page, { ...again, title: '' });
  expect([wrong.status, wrong.text.includes('Title must not be empty')]).toEqual([400, true]);
});

test('visitors can add photos within limits that the owner sets, until the owner removes them', async () => {
  const { page } = await existing();
  const fields = { title: 'Paris', expiresOn: '', password: '' };
  await browser.submit(page, { ...fields, uploadFiles: '5' });
  expect((await only()).share).toMatchObject({ uploadFilesLimit: 5, uploadBytesLimit: 2_000_000_000 });
  await browser.submit(page, { ...fields, uploadFiles: '7', uploadMegabytes: '3' });
  expect((await only()).share).toMatchObject({ uploadFilesLimit: 7, uploadBytesLimit: 3_000_000 });
  const wrong = await browser.submit(page, { ...fields, uploadFiles: 'many' });
  expect([wrong.status, wrong.text.includes('Enter a whole number.')]).toEqual([400, true]);
  await browser.submit(page, { ...fields, uploadFiles: '' });
  expect((await only()).share).toMatchObject({ uploadFilesLimit: 0, uploadBytesLimit: 0 });
});

test('a share is revoked after a question', async () => {
  const { page, link } = await existing();
  expect((await browser.get(`${page}/revoke`)).text).toContain('Revoke share “Paris”?');
  const { status, headers } = await browser.submit(`${page}/revoke`);
  expect([status, headers.location]).toEqual([303, PAGE]);
  expect((await browser.get(PAGE)).text).toContain('“Paris” was revoked');
  expect((await browser.get(new URL(link).pathname)).status).toBe(404);
  expect((await browser.get(page)).status).toBe(404);
});

test('a link whose secret is gone is not shown, and the page says why', async () => {
  const { share, page } = await existing();
  await app.ports.store.transaction(actor.customerId, async (transaction) => {
    await transaction.shares.lock(share.id);
    await transaction.shares.update({ ...share, token: 'v1.00000000.00' });
  });
  for (const path of [PAGE, page])
    expect((await browser.get(path)).text).toContain('the operator has to add the SECRET_KEY');
});
