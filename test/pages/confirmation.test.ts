import { CONFIRMED_MS } from '../../src/core/users/session.js';
import { BrowserClient, type Fields, PASSWORD } from '../api/support/browser-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

const EMAIL = '/settings/account/email';

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
  await browser.enter(app.ports, actor.customerId, 'owner', address('anna'));
});

/** Of nobody in another test. */
const address = (name: string) => `${name}.${actor.customerId}@example.com`;
const changeEmail = (fields: Fields = {}) =>
  browser.submit('/settings/account', { email: address('new'), ...fields }, EMAIL);
const everyone = () => app.ports.store.query(actor.customerId, ({ users }) => users.list());
const email = async () => (await everyone())[0]?.email;
/** Sends the form that the page with the question contains, with a password. */
const confirm = async (shown: { readonly text: string }, confirmation: string) => {
  const inputs = [...shown.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const sent = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]));
  return browser.post(EMAIL, { ...sent, confirmation });
};

test('no person is asked for the password again right after signing in', async () => {
  app.clock.pass(CONFIRMED_MS - 1);
  expect((await changeEmail()).status).toBe(303);
  expect(await email()).toBe(address('new'));
});

describe('A31: a quarter of an hour later', () => {
  beforeEach(() => app.clock.pass(CONFIRMED_MS));

  it('the password is asked for before anything changes, and the form goes on with it', async () => {
    const asked = await changeEmail();
    expect(asked.status).toBe(403);
    expect(asked.text).toContain('Confirm that it is you');
    expect(await email()).toBe(address('anna'));
    expect((await confirm(asked, PASSWORD)).status).toBe(303);
    expect(await email()).toBe(address('new'));
    expect((await changeEmail({ email: address('newer') })).status).toBe(303);
    app.clock.pass(CONFIRMED_MS);
    expect((await changeEmail()).status).toBe(403);
  });

  it('the password is asked for before other browsers are signed out, all or one', async () => {
    const other = new BrowserClient(app.url);
    await other.submit('/settings/sign-in', { email: address('anna'), password: PASSWORD });
    app.clock.pass(CONFIRMED_MS);
    const ends = [
      ...(await browser.get('/settings/account')).text.matchAll(/action="([^"]*sessions\/[^"]*end[^"]*)"/g),
    ];
    expect(ends.map(([, action = '']) => action.replace(/\d+/, '1'))).toEqual([
      '/settings/account/sessions/1/end',
      '/settings/account/sessions/end-others',
    ]);
    for (const [, action = ''] of ends) {
      expect((await browser.submit('/settings/account', {}, action)).text).toContain('Confirm that it is you');
    }
    expect((await other.get('/settings/account')).status).toBe(200);
    const [, all = ''] = ends.at(-1) ?? [];
    expect((await browser.submit('/settings/account', { confirmation: PASSWORD }, all)).status).toBe(303);
    expect((await other.get('/settings/account')).status).toBe(303);
  });

  it('the password is asked for before the trash is kept for another time, not for another name', async () => {
    const edit = (fields: Fields) =>
      browser.submit('/settings/account', { name: 'North', timeZone: 'UTC', trashRetentionDays: '30', ...fields });
    expect((await edit({})).status).toBe(303);
    expect((await edit({ trashRetentionDays: '1' })).text).toContain('Confirm that it is you');
    const days = async () => (await app.ports.customers.find(actor.customerId))?.trashRetentionDays;
    expect(await days()).toBe(30);
    expect((await edit({ trashRetentionDays: '1', confirmation: PASSWORD })).status).toBe(303);
    expect(await days()).toBe(1);
  });

  it('a wrong password changes nothing, can be corrected, and cannot be guessed', async () => {
    const asked = await changeEmail();
    const wrong = await confirm(asked, 'not my password');
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('This is not your password');
    for (let guess = 2; guess <= 5; guess += 1) expect((await confirm(wrong, `guess ${guess}`)).status).toBe(400);
    expect((await confirm(wrong, PASSWORD)).status).toBe(429);
    expect(await email()).toBe(address('anna'));
    app.clock.pass(61_000);
    expect((await confirm(wrong, PASSWORD)).status).toBe(303);
  });

  it('the values of the form are shown again unchanged, and the password nowhere', async () => {
    const asked = await changeEmail({ email: `"><script>alert(1)</script>'&amp;` });
    expect(asked.text).toContain(`value="&quot;>&lt;script>alert(1)&lt;/script>'&amp;amp;"`);
    const wrong = await confirm(asked, 'a secret that is wrong');
    expect(wrong.text).not.toContain('a secret that is wrong');
  });

  it('the question cannot be caused by another site, and scripts get an error', async () => {
    expect((await browser.post(EMAIL, { email: address('new') })).status).toBe(403);
    expect((await browser.post(EMAIL, { email: address('new') })).text).not.toContain('Confirm that it is you');
    const told = await browser.send({
      method: 'POST',
      path: EMAIL,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', origin: app.url },
      body: new URLSearchParams({ _csrf: await csrf(), email: address('new') }).toString(),
    });
    expect([told.status, told.body.error.code]).toEqual([401, 'unauthorized']);
  });

  it.each<[page: string, action: string | null, fields: Fields]>([
    ['/settings/account', EMAIL, { email: 'other@example.com' }],
    ['/settings/account/people', null, { email: 'new@example.com', role: 'editor' }],
    ['/settings/account/people', '/settings/account/people/:me/link', {}],
    ['/settings/account/people', '/settings/account/people/:me/role', { role: 'editor' }],
    ['/settings/account/erase', null, { name: 'Studio North' }],
    ['/settings/keys/new', null, { name: 'importer', scopes: 'photos:read' }],
    ['/settings/delivery/keys/new', null, { name: 'site' }],
    ['/settings/webhooks/new', null, { url: 'http://127.0.0.1:1/hook', events: 'photo.created' }],
    ['/settings/shares/new', null, { tag: 'Summer', title: 'Summer', mayDownload: 'yes' }],
  ])('%s: %s asks', async (page, action, fields) => {
    const me = (await everyone())[0]?.id;
    const asked = await browser.post(action?.replace(':me', String(me)) ?? page, { _csrf: await csrf(), ...fields });
    expect([asked.status, asked.text.includes('Confirm that it is you')]).toEqual([403, true]);
  });

  it('every form asks for confirmation, unless it is in the list of exceptions', async () => {
    const forms = app.routes.filter(({ method, access }) => method === 'POST' && access?.needs === 'person');
    const asking = forms.filter(({ path }) => !notAsking.some((form) => path === form || isIn(form, path)));
    expect(asking.length).toBeGreaterThan(20);
    const _csrf = await csrf();
    const silent: string[] = [];
    for (const { path } of asking) {
      const { status, text } = await browser.post(path.replace(/:\w+/g, '9007199254740991'), { _csrf });
      if (status !== 403 || !text.includes('Confirm that it is you')) silent.push(path);
    }
    expect(silent).toEqual([]);
    expect(notAsking.filter((form) => !forms.some(({ path }) => path === form || isIn(form, path)))).toEqual([]);
  });

  it.each(['/settings/account', '/settings/keys', '/settings/account/people', '/settings/webhooks'])(
    '%s is shown without',
    async (page) => expect((await browser.get(page)).status).toBe(200),
  );
});

/** Forms, or areas with all of theirs. */
const notAsking = [
  // Photos, and what is known of them: the trash gives back what is deleted.
  ...['/settings/library/', '/settings/photos/', '/settings/tags/', '/settings/history/', '/settings/similar/'],
  ...['/settings/searches', '/settings/searches/', '/settings/import', '/settings/import/', '/settings/imports/'],
  // Neither who is told of events nor with what secret.
  ...['/settings/webhooks/:id/enable', '/settings/webhooks/:id/disable', '/settings/webhooks/:id/test'],
  '/settings/webhooks/:id/deliveries/',
  '/settings/delivery/presets/',
  // Name, time zone and trash of the account.
  '/settings/account',
  // They take access away.
  ...['/settings/account/sessions/', '/settings/shares/:id/revoke'],
  // With originals they ask: in the table above.
  ...['/settings/shares/new', '/settings/shares/:id'],
  // They ask each time: for the password before, or for a code or a passkey.
  '/settings/account/password',
  ...['/settings/account/factors/:id/remove', '/settings/account/factors/passkeys/:id/remove'],
  '/settings/account/passkey-options',
];
const isIn = (area: string, path: string) => area.endsWith('/') && path.startsWith(area);

async function csrf(): Promise<string> {
  return /name="_csrf" value="([0-9a-f]+)"/.exec((await browser.get('/settings/account')).text)?.[1] ?? '';
}
