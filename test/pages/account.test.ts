import type { Id } from '../../src/core/shared/ids.js';
import { BrowserClient, PASSWORD } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

const ACCOUNT = '/settings/account';
const PEOPLE = '/settings/account/people';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
let userId: Id;

beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = new BrowserClient(app.url);
  userId = await browser.enter(app.ports, actor.customerId, 'owner', address('anna'));
  app.clock.pass(61_000);
});

/** Of nobody in another test. */
const address = (name: string) => `${name}.${actor.customerId}@example.com`;
const linkOn = ({ text }: Answer) => new URL(/id="link"[^>]*>([^<]+)</.exec(text)?.[1] ?? 'http://none').pathname;
const csrfOf = async (client: BrowserClient) =>
  /name="_csrf" value="([0-9a-f]+)"/.exec((await client.get(ACCOUNT)).text)?.[1] ?? '';

describe('the account', () => {
  const edit = (fields: Record<string, string>) =>
    browser.submit(ACCOUNT, { name: 'Studio', timeZone: 'UTC', trashRetentionDays: '30', ...fields });

  it('has a name, a zone and a time for the trash, as the API shows them', async () => {
    const changed = await edit({ name: ' Studio Süd ', timeZone: 'Europe/Oslo', trashRetentionDays: '7' });
    expect(changed.status).toBe(303);
    expect((await actor.get('/customer')).body).toMatchObject({
      name: 'Studio Süd',
      defaultTimeZone: 'Europe/Oslo',
      trashRetentionDays: 7,
      version: 2,
    });
    const { text } = await browser.get(ACCOUNT);
    expect(text).toContain('value="Studio Süd"');
    expect(text).toContain('The account was changed');
    expect((await browser.get(ACCOUNT)).text).not.toContain('The account was changed');
  });

  it.each([
    [{ name: '' }, 'Name must have'],
    [{ timeZone: 'Mars/Base' }, 'must be an IANA name'],
    [{ timeZone: '+01:00' }, 'must be an IANA name'],
    [{ trashRetentionDays: '0' }, '1 to 365 days'],
    [{ trashRetentionDays: '366' }, '1 to 365 days'],
    [{ trashRetentionDays: '' }, '1 to 365 days'],
  ])('refuses %j', async (wrong, message) => {
    const answer = await edit(wrong as Record<string, string>);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
    expect((await actor.get('/customer')).body).toMatchObject({ name: 'Studio North', version: 1 });
  });

  it('cannot be changed while it is suspended, and can be viewed', async () => {
    const token = await csrfOf(browser);
    await suspend('suspended');
    expect((await browser.get(ACCOUNT)).status).toBe(200);
    expect((await browser.post(ACCOUNT, { _csrf: token, name: 'x' })).status).toBe(403);
    const end = (path: string) => browser.post(`${ACCOUNT}/sessions/${path}`, { _csrf: token });
    expect((await end('end-others')).status).toBe(303);
    expect((await end('999999/end')).status).toBe(404);
    const left = await browser.post('/settings/sign-out', { _csrf: token });
    expect(left.status).toBe(303);
    expect(left.headers['clear-site-data']).toBe('"cache", "storage"');
  });

  async function suspend(status: string): Promise<void> {
    const store = app.ports.store as unknown as { change(id: Id, values: object): Promise<void> };
    await store.change(actor.customerId, { status });
  }
});

test('a person may make 60 changes a minute, and others are not held up', async () => {
  const token = await csrfOf(browser);
  const change = (client: BrowserClient, _csrf: string) =>
    client.post(`${ACCOUNT}/sessions/end-others`, { _csrf }, { accept: 'text/html' });
  for (let time = 0; time < 60; time += 1) expect((await change(browser, token)).status).toBe(303);
  const refused = await change(browser, token);
  expect(refused.status).toBe(429);
  expect(refused.text).toContain('A person can make at most 60 changes per minute. Try again in 60 seconds.');
  const bert = new BrowserClient(app.url);
  await bert.enter(app.ports, actor.customerId, 'owner', address('bert'));
  expect((await change(bert, await csrfOf(bert))).status).toBe(303);
  expect((await browser.get(ACCOUNT)).status).toBe(200);
  app.clock.pass(60_000);
  expect((await change(browser, token)).status).toBe(303);
});

test('a browser in which a person signed in is known after signing out, and can sign in while strangers guess', async () => {
  await browser.post('/settings/sign-out', { _csrf: await csrfOf(browser) });
  const cookie = browser.setCookies.filter((line) => line.startsWith('phs_device=')).at(-1);
  expect(cookie).toMatch(/; Max-Age=31536000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
  const signIn = (client: BrowserClient, password: string) =>
    client.submit('/settings/sign-in', { email: address('anna'), password });
  for (let time = 0; time < 6; time += 1) await signIn(new BrowserClient(app.url), 'wrong');
  expect((await signIn(new BrowserClient(app.url), PASSWORD)).status).toBe(429);
  expect((await signIn(browser, PASSWORD)).status).toBe(303);
});

test('each session is shown with the country of its address, if it is known', async () => {
  expect((await browser.get(ACCOUNT)).text).not.toContain('Countries are those');
  const { text } = await browser.get(ACCOUNT, { 'x-forwarded-for': '193.0.6.139' });
  expect(text).toContain('193.0.6.139<p class="hint">Netherlands</p>');
  expect(text).toContain('A browser may be elsewhere.');
});

describe('a password', () => {
  const set = (fields: Record<string, string>) => browser.submit(ACCOUNT, fields, `${ACCOUNT}/password`);
  const signIn = (password: string) =>
    new BrowserClient(app.url).submit('/settings/sign-in', { email: address('anna'), password });

  it('may be corrected within 15 minutes after signing in by a link, and other browsers are signed out', async () => {
    const other = new BrowserClient(app.url);
    await other.submit('/settings/sign-in', { email: address('anna'), password: PASSWORD });
    expect((await browser.get(ACCOUNT)).text).not.toContain('Current password');
    expect((await set({ password: 'quite another password' })).status).toBe(303);
    expect((await browser.get(ACCOUNT)).status).toBe(200);
    expect((await other.get(ACCOUNT)).status).toBe(303);
    app.clock.pass(15 * 60_000);
    expect((await browser.get(ACCOUNT)).text).toContain('Current password');
    expect((await set({ password: PASSWORD })).text).toContain('not your password');
  });

  it('needs the old one later, and at once from those who signed in with a password', async () => {
    app.clock.pass(15 * 60_000);
    expect((await signIn(PASSWORD)).status).toBe(303);
    const other = new BrowserClient(app.url);
    await other.submit('/settings/sign-in', { email: address('anna'), password: PASSWORD });
    const wrong = { current: 'wrong', password: 'quite another password' };
    expect((await other.submit(ACCOUNT, wrong, `${ACCOUNT}/password`)).text).toContain('not your password');
    expect((await set({ current: 'wrong', password: 'quite another password' })).text).toContain('not your password');
    expect((await set({ current: PASSWORD, password: 'quite another password' })).status).toBe(303);
    expect((await browser.get(ACCOUNT)).status).toBe(200);
    expect((await other.get(ACCOUNT)).status).toBe(303);
    app.clock.pass(61_000);
    expect((await signIn(PASSWORD)).status).toBe(401);
    expect((await signIn('quite another password')).status).toBe(303);
  });

  it('is refused when it is short, and never shown again', async () => {
    const answer = await set({ password: 'short one' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('at least 12 characters');
    expect(answer.text).not.toContain('short one');
  });

  it.each(['password12345', 'Photo-Service9', 'aaaabbbbaaaabbbb'])(
    'is refused when it is as easy to guess as %s',
    async (easy) => {
      const answer = await set({ current: PASSWORD, password: easy });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('too easy to guess. Choose four or more words');
      expect(answer.text).not.toContain(easy);
    },
  );

  it('cannot be guessed in a browser that was left signed in', async () => {
    app.clock.pass(15 * 60_000);
    for (const _ of Array.from({ length: 5 })) {
      expect((await set({ current: 'a guess', password: 'quite another password' })).status).toBe(400);
    }
    expect((await set({ current: PASSWORD, password: 'quite another password' })).status).toBe(429);
  });
});

describe('an e-mail address', () => {
  const set = (email: string) => browser.submit(ACCOUNT, { email }, `${ACCOUNT}/email`);

  it('can be changed, but not to that of another person of the account', async () => {
    expect((await set(address('New'))).status).toBe(303);
    expect((await browser.get(ACCOUNT)).text).toContain(address('new'));
    await new BrowserClient(app.url).enter(app.ports, actor.customerId, 'editor', address('bert'));
    const taken = await set(address('bert'));
    expect(taken.status).toBe(400);
    expect(taken.text).toContain('Another person in this account');
    expect((await set('no address')).status).toBe(400);
  });
});

describe('browsers', () => {
  it('are listed, and signed out one by one or all', async () => {
    const others = [new BrowserClient(app.url), new BrowserClient(app.url), new BrowserClient(app.url)];
    for (const other of others) {
      await other.submit('/settings/sign-in', { email: address('anna'), password: PASSWORD });
    }
    const shown = (await browser.get(ACCOUNT)).text;
    expect(shown.match(/This browser/g)).toHaveLength(1);
    const [first] = [...shown.matchAll(/sessions\/(\d+)\/end"/g)].map(([, id]) => id);
    expect((await browser.submit(ACCOUNT, {}, `${ACCOUNT}/sessions/${first}/end`)).status).toBe(303);
    const states = await Promise.all(others.map(async (other) => (await other.get(ACCOUNT)).status));
    expect(states.sort()).toEqual([200, 200, 303]);
    expect((await browser.submit(ACCOUNT, {}, `${ACCOUNT}/sessions/end-others`)).status).toBe(303);
    for (const other of others) expect((await other.get(ACCOUNT)).status).toBe(303);
    expect((await browser.get(ACCOUNT)).status).toBe(200);
  });

  it('of another person cannot be signed out', async () => {
    const bert = new BrowserClient(app.url);
    await bert.enter(app.ports, actor.customerId, 'editor', address('bert'));
    const [session] = await app.ports.store.query(actor.customerId, ({ users }) => users.sessionsOf(userId));
    const path = `${ACCOUNT}/sessions/${session?.id}/end`;
    expect((await bert.post(path, { _csrf: await csrfOf(bert) })).status).toBe(404);
    expect((await browser.get(ACCOUNT)).status).toBe(200);
  });
});

describe('people of an account', () => {
  const invite = (email: string, role = 'editor') => browser.submit(PEOPLE, { email, role });

  it('are invited by a link that is shown once', async () => {
    const made = await invite(address('bert'));
    const bert = new BrowserClient(app.url);
    expect((await browser.get(PEOPLE)).text).toContain('Invited');
    expect((await bert.submit(linkOn(made), { password: PASSWORD })).status).toBe(303);
    expect((await bert.get(ACCOUNT)).text).toContain('You are an editor of Studio North');
    expect((await bert.get(PEOPLE)).status).toBe(403);
    expect((await browser.get(PEOPLE)).text).not.toContain(linkOn(made));
  });

  it('get a new link, which ends the old one', async () => {
    const first = linkOn(await invite(address('bert')));
    const id = await idOf('bert');
    const second = linkOn(await browser.submit(PEOPLE, {}, `${PEOPLE}/${id}/link`));
    expect((await browser.get(first)).status).toBe(403);
    expect((await new BrowserClient(app.url).submit(second, { password: PASSWORD })).status).toBe(303);
  });

  it('get a new role at once', async () => {
    const bert = new BrowserClient(app.url);
    await bert.submit(linkOn(await invite(address('bert'))), { password: PASSWORD });
    const path = `${PEOPLE}/${await idOf('bert')}/role`;
    await browser.submit(PEOPLE, { role: 'owner' }, path);
    expect((await bert.get(PEOPLE)).status).toBe(200);
    await browser.submit(PEOPLE, { role: 'editor' }, path);
    expect((await bert.get(PEOPLE)).status).toBe(403);
    expect((await browser.submit(PEOPLE, { role: 'king' }, path)).status).toBe(400);
  });

  it('lose access at once', async () => {
    const bert = new BrowserClient(app.url);
    await bert.submit(linkOn(await invite(address('bert'))), { password: PASSWORD });
    const path = `${PEOPLE}/${await idOf('bert')}/remove`;
    expect((await browser.get(path)).text).toContain(address('bert'));
    expect((await browser.submit(path)).status).toBe(303);
    expect((await bert.get(ACCOUNT)).status).toBe(303);
  });

  it('always include an owner', async () => {
    const refused = [
      await browser.submit(PEOPLE, { role: 'editor' }, `${PEOPLE}/${userId}/role`),
      await browser.submit(`${PEOPLE}/${userId}/remove`),
    ];
    for (const answer of refused) {
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('the only owner');
    }
  });

  it('of another customer are not found, on any page and for any form', async () => {
    const stranger = await app.customer('Other');
    const theirs = new BrowserClient(app.url);
    const id = await theirs.enter(app.ports, stranger.customerId, 'owner', address('stranger'));
    expect((await browser.get(`${PEOPLE}/${id}/remove`)).status).toBe(404);
    for (const form of ['link', 'role', 'remove']) {
      const sent = await browser.post(`${PEOPLE}/${id}/${form}`, { _csrf: await csrfOf(browser), role: 'editor' });
      expect([form, sent.status]).toEqual([form, 404]);
    }
    expect((await browser.get(PEOPLE)).text).not.toContain(address('stranger'));
    expect((await theirs.get(PEOPLE)).status).toBe(200);
  });

  async function idOf(name: string): Promise<Id | undefined> {
    const users = await app.ports.store.query(actor.customerId, (reader) => reader.users.list());
    return users.find(({ email }) => email === address(name))?.id;
  }
});
