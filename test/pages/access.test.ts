import { operatorFor } from '../../src/core/customers/customer.js';
import { inviteFirstOwner, inviteUser, issueLink } from '../../src/core/users/people/one-time-link.js';
import { PublicAddresses } from '../../src/http/public-addresses.js';
import { HOME } from '../../src/pages/page-context.js';
import { BrowserClient, onlyPlanted, PASSWORD, signInPlanted } from '../api/support/browser-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
/** Of nobody else in any test. */
let email: string;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = new BrowserClient(app.url);
  email = `anna.${actor.customerId}@example.com`;
});

const invite = (address = email) =>
  inviteUser(app.ports, operatorFor(actor.customerId), { email: address, role: 'owner' });
const pathOf = (url: string) => new URL(url).pathname;

describe('a one-time link', () => {
  it('is not used up by being opened, and signs one browser in, which chooses a password', async () => {
    const path = pathOf((await invite()).link);
    for (const _ of [1, 2, 3]) {
      const shown = await new BrowserClient(app.url).get(path);
      expect(shown.status).toBe(200);
      expect(shown.text).toContain(`as ${email}`);
      expect(shown.text).not.toContain('name="email"');
    }
    const entered = await browser.submit(path, { password: PASSWORD });
    expect([entered.status, entered.headers.location]).toEqual([303, HOME]);
    const account = await browser.get('/settings/account');
    expect(account.status).toBe(200);
    expect(account.text).toContain('Studio North');
    expect(account.text).toContain(email);
    const again = await new BrowserClient(app.url).get(path);
    expect(again.status).toBe(403);
    expect(again.text).toContain('has been used');
    const later = new BrowserClient(app.url);
    expect((await later.submit('/settings/sign-in', { email, password: PASSWORD })).status).toBe(303);
  });

  it('is not used up by a form that is refused, which says why and keeps the address', async () => {
    const path = pathOf((await inviteFirstOwner(app.ports, operatorFor(actor.customerId))).link);
    const refused = await browser.submit(path, { email, password: 'short one' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('at least 12 characters');
    expect(refused.text).toContain(`value="${email}"`);
    expect(refused.text).not.toContain('short one');
    const own = await browser.submit(path, { email, password: `${email}1` });
    expect([own.status, own.text.includes('too easy to guess')]).toEqual([400, true]);
    expect((await browser.submit(path, { email: 'nobody', password: PASSWORD })).text).toContain('e-mail address such');
    expect((await browser.get('/settings/account')).status).toBe(303);
    expect((await browser.submit(path, { email, password: PASSWORD })).status).toBe(303);
    expect((await browser.get('/settings/account')).text).toContain(email);
  });

  it('replaces a lost password without the old one, and signs every other browser out', async () => {
    const [here, there] = [browser, new BrowserClient(app.url)];
    const userId = await there.enter(app.ports, actor.customerId, 'owner', email);
    const path = pathOf((await issueLink(app.ports, operatorFor(actor.customerId), userId)).link);
    expect((await here.get(path)).text).toContain('Choose a new password');
    expect((await there.get('/settings/account')).status).toBe(200);
    expect((await here.submit(path, { password: 'quite another password' })).status).toBe(303);
    expect((await here.get('/settings/account')).status).toBe(200);
    expect((await there.get('/settings/account')).status).toBe(303);
    const attempt = (password: string) => new BrowserClient(app.url).submit('/settings/sign-in', { email, password });
    expect((await attempt(PASSWORD)).status).toBe(401);
    expect((await attempt('quite another password')).status).toBe(303);
  });

  it('signs in the browser that used it, and no one who planted cookies there before', async () => {
    const { link } = await invite();
    const use = (planted: BrowserClient) => planted.submit(pathOf(link), { password: PASSWORD });
    expect(await signInPlanted(browser, use)).toEqual(onlyPlanted);
  });

  it('signs in one of two browsers that use it at once', async () => {
    const path = pathOf((await invite()).link);
    const both = [new BrowserClient(app.url), new BrowserClient(app.url)];
    const answers = await Promise.all(both.map((each) => each.submit(path, { password: PASSWORD })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403]);
    const inside = await Promise.all(both.map((each) => each.get('/settings/account')));
    expect(inside.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 303 ? 200 : 303)));
  });

  it('expires after seven days, and when a newer one is created', async () => {
    const old = pathOf((await invite()).link);
    const newer = pathOf((await invite()).link);
    expect((await browser.get(old)).status).toBe(403);
    expect((await browser.get(newer)).status).toBe(200);
    app.clock.pass(7 * 24 * 3600 * 1000);
    expect((await browser.get(newer)).status).toBe(403);
  });
});

describe('signing in', () => {
  beforeEach(async () => {
    await new BrowserClient(app.url).enter(app.ports, actor.customerId, 'owner', email);
    app.clock.pass(61_000);
  });
  const attempt = (address: string, password: string) =>
    browser.submit('/settings/sign-in', { email: address, password });

  it('accepts the address in any letter case, and leads to the page that was requested', async () => {
    const first = await browser.get('/settings/account?a=1');
    expect(first.headers.location).toBe('/settings/sign-in?next=%2Fsettings%2Faccount%3Fa%3D1');
    const values = { email: ` ${email.toUpperCase()} `, password: PASSWORD };
    const signedIn = await browser.submit(String(first.headers.location), values, '/settings/sign-in');
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/settings/account?a=1']);
  });

  it.each(['https://evil.example', '//evil.example', '/settings//evil', '/api/v1/me', '/settings/\\evil'])(
    'never leads to %s',
    async (next) => {
      const path = `/settings/sign-in?next=${encodeURIComponent(next)}`;
      const answer = await browser.submit(path, { email, password: PASSWORD }, '/settings/sign-in');
      expect([answer.status, answer.headers.location]).toEqual([303, HOME]);
    },
  );

  it('answers a wrong password, an unknown address and one without a password alike', async () => {
    await invite('invited@example.com');
    const answers = [];
    for (const address of [email, 'nobody@example.com', 'invited@example.com']) {
      answers.push(await attempt(address, 'not the password'));
    }
    const plain = answers.map(({ status, text }) => [status, text.replace(/[a-z.0-9]+@example.com|[0-9a-f]{64}/g, '')]);
    expect(plain[0]?.[0]).toBe(401);
    expect(plain[1]).toEqual(plain[0]);
    expect(plain[2]).toEqual(plain[0]);
  });

  it('gives the session a new name, which no one could have planted', async () => {
    const credentials = { email, password: PASSWORD };
    for (const planter of [browser, new BrowserClient(app.url)]) {
      if (planter === browser) planter.cookies.set('phs', 's:planted.signature');
      const signIn = (planted: BrowserClient) => planted.submit('/settings/sign-in', credentials);
      expect(await signInPlanted(planter, signIn)).toEqual(onlyPlanted);
    }
  });

  it('is limited by account and by address, whether the account exists or not', async () => {
    for (const address of [email, 'nobody@example.com']) {
      for (const _ of Array.from({ length: 5 })) expect((await attempt(address, 'wrong')).status).toBe(401);
      const refused = await attempt(address, PASSWORD);
      expect(refused.status).toBe(429);
      expect(refused.text).toContain('Too many attempts');
    }
    app.clock.pass(61_000);
    expect((await attempt(email, PASSWORD)).status).toBe(303);
  });

  it('ends by signing out, after which the cookie is worthless', async () => {
    await attempt(email, PASSWORD);
    const cookie = `phs=${browser.cookies.get('phs')}`;
    expect((await browser.submit('/settings/account', {}, '/settings/sign-out')).status).toBe(303);
    const stolen = await new BrowserClient(app.url).get('/settings/account', { cookie });
    expect([stolen.status, stolen.headers.location]).toEqual([303, '/settings/sign-in?next=%2Fsettings%2Faccount']);
  });

  it('ends a day after it was last used, and two weeks after it began', async () => {
    await attempt(email, PASSWORD);
    for (const _ of Array.from({ length: 13 })) {
      app.clock.pass(23 * 3600 * 1000);
      expect((await browser.get('/settings/account')).status).toBe(200);
    }
    app.clock.pass(2 * 24 * 3600 * 1000);
    expect((await browser.get('/settings/account')).status).toBe(303);
    await attempt(email, PASSWORD);
    app.clock.pass(24 * 3600 * 1000);
    expect((await browser.get('/settings/account')).status).toBe(303);
  });

  it('ends for all people of a customer that is closed', async () => {
    await attempt(email, PASSWORD);
    const store = app.ports.store as unknown as { change(id: number, values: object): Promise<void> };
    await store.change(actor.customerId, { status: 'closing' });
    expect((await browser.get('/settings/account')).status).toBe(303);
    app.clock.pass(61_000);
    expect((await attempt(email, PASSWORD)).status).toBe(401);
  });
});

describe('a form', () => {
  beforeEach(() => browser.enter(app.ports, actor.customerId));
  const signOut = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    browser.post('/settings/sign-out', fields, headers);

  it('is refused without a token, with a wrong one, and with that of another session', async () => {
    const other = new BrowserClient(app.url);
    await other.enter(app.ports, actor.customerId, 'owner', 'other@example.com');
    const foreign = /name="csrf-token" content="([0-9a-f]+)"/.exec((await other.get('/settings/account')).text)?.[1];
    for (const fields of [{}, { _csrf: 'f'.repeat(64) }, { _csrf: foreign ?? '' }]) {
      const answer = await signOut(fields);
      expect(answer.status).toBe(403);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    }
    expect((await browser.get('/settings/account')).status).toBe(200);
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('is refused from another site although its token is right: %j', async (headers) => {
    const token = /name="csrf-token" content="([0-9a-f]+)"/.exec((await browser.get('/settings/account')).text)?.[1];
    expect((await signOut({ _csrf: token ?? '' }, headers as Record<string, string>)).status).toBe(403);
    expect((await signOut({ _csrf: token ?? '' })).status).toBe(303);
  });
});

test('every form, also of a visitor who is not signed in, is refused without its token and from another site', async () => {
  const forms = app.routes.filter(
    ({ method, path, access }) =>
      method === 'POST' && path.startsWith('/settings') && (access?.needs === 'person' || access?.needs === 'visitor'),
  );
  expect(forms.filter(({ access }) => access?.needs === 'visitor').length).toBeGreaterThan(7);
  await browser.enter(app.ports, actor.customerId);
  const stranger = new BrowserClient(app.url);
  const tokens = new Map<BrowserClient, string>();
  for (const [who, page] of [[browser, '/settings/account'] as const, [stranger, '/settings/sign-in'] as const]) {
    tokens.set(who, /name="csrf-token" content="([0-9a-f]+)"/.exec((await who.get(page)).text)?.[1] ?? 'none');
  }
  for (const { path, access } of forms) {
    const who = access?.needs === 'visitor' ? stranger : browser;
    const url = path.replace(/:\w+/g, '9007199254740991');
    const token = { _csrf: tokens.get(who) ?? '' };
    const refused = [await who.post(url, {}), await who.post(url, token, { origin: 'https://evil.example' })];
    expect([path, ...refused.map(({ status }) => status)]).toEqual([path, 403, 403]);
    for (const { text } of refused)
      expect([path, text]).toEqual([path, expect.stringContaining('This form has expired or was')]);
  }
});

describe('every page', () => {
  it('has a policy without inline scripts and styles, is not cached, and cannot be framed', async () => {
    await browser.enter(app.ports, actor.customerId);
    for (const path of ['/settings/account', '/settings/nowhere']) {
      const { headers, text } = await browser.get(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['referrer-policy']).toBe('same-origin');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-frame-options']).toBe('DENY');
      expect(text).not.toMatch(/<style|<script(?![^>]*src=)| style=| on[a-z]+=/);
    }
  });

  it('writes names as text, never as markup', async () => {
    const evil = await app.customer('<script>alert(1)</script>"\'&');
    await browser.enter(app.ports, evil.customerId, 'owner', `"><img src=x>@example.com`).catch(() => undefined);
    await browser.enter(app.ports, evil.customerId);
    const { text } = await browser.get('/settings/account');
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('&lt;script>alert(1)&lt;/script>');
  });

  it('that does not exist is a page with the request id, while scripts get what the API says', async () => {
    const missing = await browser.get('/settings/nowhere');
    expect(missing.status).toBe(404);
    expect(missing.text).toContain(String(missing.headers['x-request-id']));
    expect((await browser.get('/settings/%zz')).status).toBe(404);
    const script = await browser.get('/settings/account', { accept: 'application/json' });
    expect([script.status, script.body.error.code]).toEqual([401, 'unauthorized']);
  });

  it('that fails is a page that tells no secret', async () => {
    const failing = await startApp({
      ports: () => ({
        sessions: { find: () => Promise.reject(new Error('secret words')) } as never,
      }),
    });
    const client = new BrowserClient(failing.url);
    const answer = await client.get('/settings/account', { cookie: 'phs=s:x.y' });
    expect([303, 500]).toContain(answer.status);
    expect(answer.text).not.toContain('secret words');
    await failing.close();
  });

  it('for owners is hidden from members, and so is its form', async () => {
    const owners = app.routes.filter(({ access }) => access?.needs === 'person' && access.role === 'owner');
    await browser.enter(app.ports, actor.customerId, 'editor');
    for (const { method, path } of owners) {
      const answer = await browser.send({ method, path: path.replace(/:[A-Za-z]+/g, '1') });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
  });

  it('that is for people redirects everyone else to sign in, whatever is sent', async () => {
    const closed = app.routes.filter(({ access }) => access?.needs === 'person');
    expect(closed.length).toBeGreaterThan(1);
    for (const { method, path } of closed) {
      const answer = await browser.send({ method, path: path.replace(/:[A-Za-z]+/g, '1') });
      expect([method, path, answer.status]).toEqual([method, path, 303]);
      expect(answer.headers.location).toMatch(/^\/settings\/sign-in/);
    }
  });
});

describe('A32: every cookie that is set', () => {
  /** The cookies of a visit with forms that are saved, refused and told of once. */
  async function cookiesOf(running: RunningApp): Promise<readonly string[]> {
    const { customerId } = await running.customer();
    const client = new BrowserClient(running.url);
    const address = `anna.${customerId}@example.com`;
    await client.enter(running.ports, customerId, 'owner', address);
    const settings = { name: 'Studio South', timeZone: 'UTC', trashRetentionDays: '30' };
    for (const fields of [settings, { ...settings, name: '' }]) await client.submit('/settings/account', fields);
    for (const _ of [1, 2]) expect((await client.get('/settings/account')).status).toBe(200);
    await client.submit('/settings/account', {}, '/settings/sign-out');
    await client.submit('/settings/sign-in', { email: address, password: PASSWORD });
    await client.submit('/settings/account', settings);
    return client.setCookies;
  }

  it('is out of reach of scripts and other sites', async () => {
    const lines = await cookiesOf(app);
    expect(lines.filter((line) => line.startsWith('phs=')).length).toBeGreaterThan(4);
    const own = /^phs=s%3A[\w%.-]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/;
    const ofForms = /^phs_form=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/;
    const ofDevice = /^phs_device=[\w-]+; Max-Age=31536000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/;
    expect(lines.filter((line) => ![own, ofForms, ofDevice].some((rules) => rules.test(line)))).toEqual([]);
  });

  it('is sent over TLS and to this host only when TLS is in front', async () => {
    const secure = await startApp({ ports: () => ({ addresses: new PublicAddresses('https://photos.example.com') }) });
    const lines = await cookiesOf(secure).finally(() => secure.close());
    expect(lines.filter((line) => line.startsWith('__Host-phs=')).length).toBeGreaterThan(4);
    const own = /^__Host-phs=s%3A[\w%.-]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/;
    const ofForms = /^__Host-phs_form=[0-9a-f]{64}; Path=\/; HttpOnly; Secure; SameSite=Strict$/;
    const ofDevice =
      /^__Host-phs_device=[\w-]+; Max-Age=31536000; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/;
    expect(lines.filter((line) => ![own, ofForms, ofDevice].some((rules) => rules.test(line)))).toEqual([]);
  });
});

test('no token, link or password is in the log', async () => {
  const { link: url } = await invite('log@example.com');
  await browser.submit(pathOf(url), { password: PASSWORD });
  await new BrowserClient(app.url).submit('/settings/sign-in', { email: 'a@example.com', password: PASSWORD });
  const log = app.log.join('');
  expect(log).toContain('/settings/enter/:token');
  expect(log).not.toContain(pathOf(url).split('/').at(-1));
  expect(log).not.toContain(PASSWORD);
  for (const value of browser.cookies.values()) expect(log).not.toContain(value);
});

test('styles and scripts are public and can be cached permanently', async () => {
  const { text } = await browser.get('/settings/sign-in');
  const urls = [...text.matchAll(/(?:href|src)="(\/settings\/assets\/[^"]+)"/g)].map(([, url]) => url ?? '');
  expect(urls.length).toBeGreaterThan(2);
  for (const url of urls) {
    const asset = await browser.get(url);
    expect(asset.status).toBe(200);
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    // While nodes are updated one after another, a page of one may ask another for its styles.
    const ofOtherRelease = await browser.get(url.replace(/assets\/[0-9a-f]{12}\//, 'assets/000000000000/'));
    expect([ofOtherRelease.status, ofOtherRelease.headers['cache-control']]).toEqual([200, 'no-store']);
  }
  expect((await browser.get('/settings/assets/x/none.css')).status).toBe(404);
  expect((await browser.get('/settings/assets/x/..%2fpage.tsx')).status).toBe(404);
});

test('the policy of a script lets a worker import others, and connect to nothing', async () => {
  const { headers } = await browser.get('/settings/assets/x/import/hash-worker.js');
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'"]));
  expect(policy.join()).not.toMatch(/connect-src|unsafe/);
});

test('the navigation has the areas that a person may see, in the order that their pages declare', async () => {
  const areasOf = async (role: 'owner' | 'editor') => {
    const person = new BrowserClient(app.url);
    await person.enter(app.ports, actor.customerId, role, `${role}.${email}`);
    const [, navigation = ''] = /<nav aria-label="Settings">(.*?)<\/nav>/s.exec((await person.get(HOME)).text) ?? [];
    return [...navigation.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)</g)].map(([, path, label]) => [path, label]);
  };
  const everyone = [
    ['/settings/library', 'Library'],
    ['/settings/map', 'Map'],
    ['/settings/imports', 'Imports'],
    ['/settings/similar', 'Similar photos'],
    ['/settings/history', 'History'],
    ['/settings/tags', 'Tags'],
    ['/settings/shares', 'Shares'],
    ['/settings/usage', 'Usage'],
    ['/settings/account', 'Account'],
  ];
  const ofOwners = [
    ['/settings/keys', 'API keys'],
    ['/settings/delivery', 'Image delivery'],
    ['/settings/webhooks', 'Webhooks'],
  ];
  expect(await areasOf('editor')).toEqual(everyone);
  expect(await areasOf('owner')).toEqual([...everyone.slice(0, 7), ...ofOwners, ...everyone.slice(7)]);
});
