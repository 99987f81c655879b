import { newVersion, operatorFor } from '../../src/core/customers/customer.js';
import { editSettingsAddresses } from '../../src/core/users/admission.js';
import { CONFIRMED_MS } from '../../src/core/users/session.js';
import type { Role } from '../../src/core/users/user.js';
import { BrowserClient, PASSWORD } from '../api/support/browser-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { present } from '../support/tenant.js';

const SIGN_IN = '/settings/sign-in';
const SWITCH = '/settings/switch';
const HOME = '/settings/library';
const ACCOUNT = '/settings/account';

let app: RunningApp;
let north: Actor;
let south: Actor;
let email: string;
let browser: BrowserClient;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  [north, south] = [await app.customer('Studio North'), await app.customer('Studio South')];
  email = `anna.${north.customerId}@example.com`;
  await join(north, 'owner');
  await join(south, 'viewer');
  browser = new BrowserClient(app.url);
});

/** The same address and password at another account. */
async function join({ customerId }: Actor, role: Role): Promise<number> {
  app.clock.pass(61_000);
  return new BrowserClient(app.url).enter(app.ports, customerId, role, email);
}

const signIn = (page = SIGN_IN, address = email) =>
  browser.submit(page, { email: address, password: PASSWORD }, SIGN_IN);
const signInToBoth = async () => [await signIn(), await signIn(`${SIGN_IN}?another=yes`)].map(({ status }) => status);
const switchTo = ({ customerId }: Actor) => browser.submit(HOME, { account: String(customerId) }, SWITCH);
const annaAt = async ({ customerId }: Actor) =>
  present((await app.ports.store.query(customerId, ({ users }) => users.list()))[0]);
/** The account on the page, and those that it offers. */
async function accounts() {
  const { text } = await browser.get(HOME);
  const [current] = [...text.matchAll(/class="customer">([^<]*)</g)].map(([, name]) => name);
  return [current, ...[...text.matchAll(/>Switch to ([^<]*)</g)].map(([, name]) => name)];
}

describe('a person with one password at two accounts', () => {
  it('signs in to the one used last, then to the other, and changes between them', async () => {
    await signIn();
    expect(await accounts()).toEqual(['Studio South']);
    expect((await signIn(`${SIGN_IN}?another=yes`)).headers.location).toBe(HOME);
    expect(await accounts()).toEqual(['Studio North', 'Studio South']);
    expect((await switchTo(south)).headers.location).toBe(HOME);
    expect(await accounts()).toEqual(['Studio South', 'Studio North']);
    await switchTo(north);
    expect(await accounts()).toEqual(['Studio North', 'Studio South']);
  });

  it('has the role of each account there', async () => {
    await signInToBoth();
    expect((await browser.get('/settings/keys')).status).toBe(200);
    await switchTo(south);
    expect((await browser.get('/settings/keys')).status).toBe(403);
  });

  it('confirms a change in each account separately', async () => {
    await signIn();
    await switchAfter(CONFIRMED_MS);
    const asked = await browser.submit(ACCOUNT, { email: `new.${email}` }, `${ACCOUNT}/email`);
    expect([asked.status, asked.text.includes('Confirm that it is you')]).toEqual([403, true]);
  });

  /** To the account of the first sign-in, which is that long ago then. */
  async function switchAfter(milliseconds: number): Promise<void> {
    app.clock.pass(milliseconds);
    await signIn(`${SIGN_IN}?another=yes`);
    await switchTo(south);
  }

  it('signs out of both', async () => {
    await signInToBoth();
    const { id } = await annaAt(south);
    const open = async () =>
      (await app.ports.store.query(south.customerId, ({ users }) => users.sessionsOf(id))).length;
    const [before, cookies] = [await open(), new Map(browser.cookies)];
    await browser.submit(HOME, {}, '/settings/sign-out');
    expect(browser.cookies.has('phs_accounts')).toBe(false);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.get(HOME)).status).toBe(303);
    expect(await open()).toBe(before - 1);
  });

  it('is signed out of both by erasing one, as the page says', async () => {
    await signInToBoth();
    await switchTo(south);
    const inSouth = browser.copy();
    await switchTo(north);
    const erased = await browser.submit(`${ACCOUNT}/erase`, { name: 'Studio North' });
    expect(erased.text).toContain('everyone is signed out, including this browser');
    expect((await inSouth.get(HOME)).status).toBe(303);
    expect(browser.cookies.has('phs_accounts')).toBe(false);
  });

  it('loses an account at once in which the session has ended', async () => {
    await signInToBoth();
    const { id } = await annaAt(south);
    await app.ports.store.transaction(south.customerId, ({ users }) => users.endSessions(id, null));
    expect(await accounts()).toEqual(['Studio North']);
  });

  it('needs the second factor of the other account before it is there', async () => {
    const [{ id: userId }, at] = [await annaAt(north), app.clock.now()];
    const phone = { userId, name: 'Phone', secret: '', lastStep: 0, createdAt: at, lastUsedAt: at };
    await app.ports.store.transaction(north.customerId, ({ factors }) => factors.insertApp(phone));
    await signIn();
    expect((await signIn(`${SIGN_IN}?another=yes`)).headers.location).toBe(`${SIGN_IN}/code`);
    expect((await browser.get(`${SIGN_IN}/code`)).status).toBe(200);
    expect(await accounts()).toEqual(['Studio South']);
    expect((await browser.post(SWITCH, { account: String(north.customerId) })).status).toBe(403);
  });

  it('stays where the other account does not admit the address', async () => {
    await signInToBoth();
    await editSettingsAddresses(app.ports, operatorFor(south.customerId), ['192.0.2.1']);
    const refused = await switchTo(south);
    expect([refused.status, refused.text.includes('cannot be used from')]).toEqual([403, true]);
    expect(await accounts()).toEqual(['Studio North', 'Studio South']);
  });

  it('can leave an account that no longer admits the address', async () => {
    await signInToBoth();
    await editSettingsAddresses(app.ports, operatorFor(north.customerId), ['192.0.2.1']);
    expect((await browser.get(HOME)).status).toBe(403);
    await browser.submit(SIGN_IN, { account: String(south.customerId) }, SWITCH);
    expect(await accounts()).toEqual(['Studio South', 'Studio North']);
  });

  it('sees only the page that adds a factor where one is required', async () => {
    await signInToBoth();
    await app.ports.store.transaction(south.customerId, async ({ customer }) =>
      customer.update(newVersion(await customer.lock(), { factorsRequiredFrom: app.clock.now() }, app.clock.now())),
    );
    await switchTo(south);
    expect((await browser.get(HOME)).headers.location).toBe('/settings/account/factors');
  });
});

describe('no one enters an account', () => {
  it('by a cookie that is not of this service, or a form without its token', async () => {
    await signInToBoth();
    const cookie = browser.cookies.get('phs_accounts') ?? '';
    expect((await browser.post(SWITCH, { account: String(south.customerId) })).status).toBe(403);
    browser.cookies.set('phs_accounts', `${cookie.slice(0, -2)}AA`);
    expect(await accounts()).toEqual(['Studio North']);
    expect((await browser.get(HOME)).text).not.toContain(SWITCH);
  });

  it('by the cookie of another person', async () => {
    await signInToBoth();
    const cookie = browser.cookies.get('phs_accounts') ?? '';
    const otto = new BrowserClient(app.url);
    await otto.enter(app.ports, north.customerId, 'viewer', `otto.${email}`);
    otto.cookies.set('phs_accounts', cookie);
    expect((await otto.get(HOME)).text).not.toContain('Switch to');
  });

  it('of a person who signed in earlier in the same browser, whose sessions end', async () => {
    await signInToBoth();
    const before = new Map(browser.cookies);
    await new BrowserClient(app.url).enter(app.ports, north.customerId, 'viewer', `otto.${email}`);
    await signIn(`${SIGN_IN}?another=yes`, `otto.${email}`);
    expect(await accounts()).toEqual(['Studio North']);
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect((await browser.get(HOME)).status).toBe(303);
  });

  it('only because it has the same address, and no page says that there is another account', async () => {
    await signIn();
    const stranger = await app.customer('Studio East');
    await new BrowserClient(app.url).enter(app.ports, stranger.customerId, 'owner', email);
    expect(await accounts()).toEqual(['Studio South']);
  });
});
