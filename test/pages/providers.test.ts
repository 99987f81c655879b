import { OpenIdProvider } from '../../src/adapters/oidc/open-id-provider.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import type { Id } from '../../src/core/shared/ids.js';
import { seal } from '../../src/core/shared/secrets.js';
import { codeAt, newCodeSecret } from '../../src/core/users/factors/one-time-code.js';
import type { ProviderSettings } from '../../src/core/users/identity-provider.js';
import { inviteUser } from '../../src/core/users/people/one-time-link.js';
import { CONFIRMED_MS } from '../../src/core/users/session.js';
import { HOME } from '../../src/pages/page-context.js';
import { providerSettings } from '../../testing/memory/users/memory-identities.js';
import { BrowserClient, onlyPlanted, PASSWORD, signInPlanted } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { type RunningApp, startApp } from '../api/support/start-app.js';
import { OpenIdServer } from '../support/openid-server.js';
import { present } from '../support/tenant.js';

const SITE = 'http://photos.test';
const WITH = '/settings/sign-in/with';
const ACCOUNT = '/settings/account';

let keycloak: OpenIdServer;
let other: OpenIdServer;
let app: RunningApp;
let customerId: Id;
let people = 0;
/** What monitoring has been told. */
const refusals: string[] = [];

beforeAll(async () => {
  keycloak = await OpenIdServer.start(`${SITE}${WITH}/keycloak/answer`);
  other = await OpenIdServer.start(`${SITE}${WITH}/other/answer`);
  const provider = (settings: Partial<ProviderSettings>) =>
    new OpenIdProvider({
      settings: providerSettings(settings),
      clientId: 'photos',
      clientSecret: 'a secret of the client',
      scopes: ['groups'],
      claims: { verified: 'email_verified', groups: 'groups' },
    });
  const identityProviders = [
    provider({ id: 'keycloak', name: 'Keycloak <1>', issuer: keycloak.issuer, groupRoles: { editors: 'editor' } }),
    provider({ id: 'other', name: 'Other', issuer: other.issuer }),
  ];
  const onProviderSignInRefused = (provider: string, reason: string) => refusals.push(`${provider} ${reason}`);
  app = await startApp({ ports: () => ({ identityProviders }), onProviderSignInRefused });
});
afterAll(async () => {
  await app.close();
  await keycloak.close();
  await other.close();
});
beforeEach(async () => {
  // The provider's tokens are of this moment.
  app.clock.set(new Date());
  customerId = (await app.customer('Studio North')).customerId;
});

/** Somebody whom the provider knows, and who is invited here. */
async function newPerson(groups: readonly string[] = ['editors']): Promise<{ subject: string; email: string }> {
  people += 1;
  const [subject, email] = [`person-${people}`, `person.${people}@example.com`];
  keycloak.people.set(subject, { email, email_verified: true, groups });
  await inviteUser(app.ports, operatorFor(customerId), { email, role: 'viewer' });
  return { subject, email };
}

const newBrowser = () => new BrowserClient(app.url);
/** As a path here. */
const here = (url: string) => url.replace(SITE, '');

/** Goes to the provider, and signs in there; what comes back is not followed. */
async function goThere(browser: BrowserClient, subject: string, path = `${WITH}/keycloak`): Promise<string> {
  const left = await browser.get(path);
  return here(await keycloak.signIn(left.headers.location ?? '', subject));
}
async function enter(browser: BrowserClient, subject: string, path?: string): Promise<Answer> {
  return browser.get(await goThere(browser, subject, path));
}

test('the sign-in page offers each provider, and leads there and back to the page that was wanted', async () => {
  const { subject, email } = await newPerson();
  const browser = newBrowser();
  const page = await browser.get('/settings/sign-in?next=%2Fsettings%2Ftags%3Fsort%3Dname');
  expect(page.text).toContain(`href="${WITH}/keycloak?next=%2Fsettings%2Ftags%3Fsort%3Dname"`);
  expect(page.text).toContain('Continue with Keycloak &lt;1>');
  const left = await browser.get(`${WITH}/keycloak?next=%2Fsettings%2Ftags%3Fsort%3Dname`);
  expect([left.status, left.headers['cache-control']]).toEqual([303, 'no-store']);
  const cookie = browser.setCookies.find((line) => line.startsWith('phs_provider='));
  expect(cookie).toMatch(/; Max-Age=600; Path=\/; .*HttpOnly; SameSite=Lax$/);
  const back = here(await keycloak.signIn(left.headers.location ?? '', subject));
  const entered = await browser.get(back);
  expect([entered.status, entered.headers.location]).toEqual([303, '/settings/tags?sort=name']);
  expect(browser.cookies.has('phs_provider')).toBe(false);
  const account = await browser.get(ACCOUNT);
  expect(account.text).toContain(email);
  expect(account.text).toMatch(/Providers at which you sign in[\s\S]*Keycloak &lt;1>/);
  expect(account.text).not.toContain('name="current"');
  const code = new URLSearchParams(back.split('?')[1]).get('code') ?? '';
  for (const secret of [code, cookie?.slice(13, 60) ?? '']) expect(app.log.join()).not.toContain(secret);
});

test('no answer of a provider is accepted twice, without its cookie, with the cookie of another browser, or for another provider', async () => {
  const { subject } = await newPerson();
  const [browser, stranger] = [newBrowser(), newBrowser()];
  const answer = await goThere(browser, subject);
  await stranger.get(`${WITH}/keycloak`);
  const refused = [await newBrowser().get(answer), await stranger.get(answer)];
  const kept = browser.cookies.get('phs_provider') ?? '';
  refused.push(await browser.get(answer.replace('/keycloak/', '/other/')));
  browser.cookies.set('phs_provider', kept);
  expect((await browser.get(answer)).status).toBe(303);
  browser.cookies.clear();
  browser.cookies.set('phs_provider', kept);
  refused.push(await browser.get(answer));
  for (const { status, text } of refused) {
    expect(status).toBe(401);
    expect(text).toContain('Start again.');
    expect(text).toContain('name="password"');
  }
  expect(browser.cookies.has('phs')).toBe(false);
});

test('the browser that signed in at the provider is signed in, and no one who planted cookies before', async () => {
  const { subject } = await newPerson();
  expect(await signInPlanted(newBrowser(), (planted) => enter(planted, subject))).toEqual(onlyPlanted);
});

test('an answer of one provider is not accepted for another whose cookie is present', async () => {
  const { subject } = await newPerson();
  const browser = newBrowser();
  const answer = await goThere(browser, subject);
  await browser.get(`${WITH}/other`);
  const mixed = await browser.get(answer.replace('/keycloak/', '/other/'));
  expect([mixed.status, browser.cookies.has('phs')]).toEqual([401, false]);
});

test.each([
  'https://attacker.example',
  '//attacker.example',
  '/settings/../x',
  '/settings//attacker.example',
  '/s/x',
  'settings',
])('after signing in at a provider, no one is sent to %s', async (next) => {
  const { subject } = await newPerson();
  const entered = await enter(newBrowser(), subject, `${WITH}/keycloak?next=${encodeURIComponent(next)}`);
  expect([entered.status, entered.headers.location]).toEqual([303, HOME]);
});

test('unverified and unknown addresses admit no one, and the log has the reason without the person', async () => {
  const { subject, email } = await newPerson();
  keycloak.people.set(subject, { email, email_verified: false });
  const unverified = await enter(newBrowser(), subject);
  expect([unverified.status, unverified.text.includes('is verified')]).toEqual([401, true]);
  keycloak.people.set(subject, { email: 'nobody@example.com', email_verified: true });
  expect((await enter(newBrowser(), subject)).text).toContain('No one here has the address nobody@example.com');
  const lines = app.log.filter((line) => line.includes('a sign-in by a provider was refused')).slice(-2);
  expect(lines.map((line) => JSON.parse(line).reason)).toEqual(['address_not_verified', 'no_account']);
  expect(lines.join()).not.toContain('@example.com');
  expect(refusals.slice(-2)).toEqual(['keycloak address_not_verified', 'keycloak no_account']);
});

test('a person without a password is not asked for one', async () => {
  const { subject } = await newPerson();
  const browser = newBrowser();
  await enter(browser, subject);
  for (const path of [ACCOUNT, `${ACCOUNT}/factors`]) {
    const { text } = await browser.get(path);
    expect(text).toContain('You sign in at a provider alone');
    expect(text).not.toMatch(/You sign in with it|Change password/);
    expect(text).not.toContain('with your password');
  }
});

test('roles follow the groups at the next sign-in', async () => {
  const { subject, email } = await newPerson();
  const roleAfter = async () => {
    await enter(newBrowser(), subject);
    return (await app.ports.users.findByEmail(email))[0]?.user.role;
  };
  expect(await roleAfter()).toBe('editor');
  keycloak.people.set(subject, { email, email_verified: true, groups: [] });
  expect(await roleAfter()).toBe('viewer');
});

test('with a second factor, roles follow the groups after it was given', async () => {
  const { subject, email } = await newPerson([]);
  const browser = newBrowser();
  await enter(browser, subject);
  const { user } = present((await app.ports.users.findByEmail(email))[0]);
  const [key, at] = [newCodeSecret(), app.clock.now()];
  const secret = seal(app.ports.secrets, 'factor', key);
  const phone = { userId: user.id, name: 'Phone', secret, lastStep: 0, createdAt: at, lastUsedAt: at };
  await app.ports.store.transaction(user.customerId, ({ factors }) => factors.insertApp(phone));
  keycloak.people.set(subject, { email, email_verified: true, groups: ['editors'] });
  const role = async () => (await app.ports.users.findByEmail(email))[0]?.user.role;
  const asked = await enter(browser, subject);
  expect([asked.headers.location, await role()]).toEqual(['/settings/sign-in/code', 'viewer']);
  const code = codeAt(key, Math.floor(at.getTime() / 30_000));
  expect((await browser.submit('/settings/sign-in/code', { code })).headers.location).toBe(HOME);
  expect(await role()).toBe('editor');
});

test('a provider that is unavailable is reported, and passwords still work', async () => {
  const { subject } = await newPerson();
  const browser = newBrowser();
  await browser.enter(app.ports, customerId, 'owner', `owner.${customerId}@example.com`);
  const entering = newBrowser();
  const answer = await goThere(entering, subject);
  await keycloak.setAway(true);
  const away = await entering.get(answer);
  expect([away.status, away.text.includes('Keycloak &lt;1> cannot be reached')]).toEqual([503, true]);
  const credentials = { email: `owner.${customerId}@example.com`, password: PASSWORD };
  const entered = await entering.submit('/settings/sign-in', credentials);
  expect(entered.status).toBe(303);
  await keycloak.setAway(false);
});

test('a person without a password confirms at the provider, and the form continues', async () => {
  const { subject } = await newPerson();
  const browser = newBrowser();
  await enter(browser, subject);
  app.clock.pass(CONFIRMED_MS + 60_000);
  const fields = { email: `new.${customerId}@example.com` };
  const asked = await browser.submit(ACCOUNT, fields, `${ACCOUNT}/email`);
  expect(asked.status).toBe(403);
  expect(asked.text).toContain(`href="${WITH}/keycloak/confirm" target="_blank"`);
  const csrf = /name="_csrf" value="([^"]*)"/.exec(asked.text)?.[1] ?? '';
  expect((await browser.post(`${ACCOUNT}/email`, { ...fields, _csrf: csrf })).status).toBe(403);
  app.clock.set(new Date());
  const confirmed = await enter(browser, subject, `${WITH}/keycloak/confirm`);
  expect([confirmed.status, confirmed.text.includes('You are confirmed.')]).toEqual([200, true]);
  const changed = await browser.post(`${ACCOUNT}/email`, { ...fields, _csrf: csrf });
  expect([changed.status, changed.headers.location]).toEqual([303, ACCOUNT]);
});

test('signing out offers to sign out at the provider, too', async () => {
  const { subject } = await newPerson();
  const browser = newBrowser();
  await enter(browser, subject);
  const out = await browser.submit(ACCOUNT, {}, '/settings/sign-out');
  expect(out.headers.location).toBe(`${WITH}/keycloak/sign-out`);
  const page = await browser.get(`${WITH}/keycloak/sign-out`);
  expect(page.text).toContain(`href="${WITH}/keycloak/sign-out/there"`);
  const there = new URL((await browser.get(`${WITH}/keycloak/sign-out/there`)).headers.location ?? '');
  expect(there.origin).toBe(keycloak.issuer);
  expect(there.searchParams.get('post_logout_redirect_uri')).toBe(`${SITE}/settings/sign-in`);
  expect((await browser.get(ACCOUNT)).headers.location).toMatch(/^\/settings\/sign-in/);
});

test('an admin sees who signs in by a provider, and unlinks it', async () => {
  const { subject, email } = await newPerson();
  await enter(newBrowser(), subject);
  const owner = newBrowser();
  await owner.enter(app.ports, customerId, 'owner', `owner.${customerId}@example.com`);
  const list = await owner.get(`${ACCOUNT}/people`);
  expect(list.text).toContain('Single sign-on');
  const action = /action="([^"]*\/identities\/\d+\/unlink)"/.exec(list.text)?.[1] ?? '';
  const unlinked = await owner.submit(`${ACCOUNT}/people`, {}, action);
  expect([unlinked.status, unlinked.headers.location]).toEqual([303, `${ACCOUNT}/people`]);
  expect((await owner.get(`${ACCOUNT}/people`)).text).not.toContain('Single sign-on');
  const user = (await app.ports.users.findByEmail(email))[0]?.user;
  expect(user?.passwordHash).toBeNull();
});
