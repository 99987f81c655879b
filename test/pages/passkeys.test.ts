import { CHALLENGE_MS } from '../../src/core/users/factors/passkey.js';
import { CONFIRMED_MS } from '../../src/core/users/session.js';
import { PublicAddresses } from '../../src/http/public-addresses.js';
import { HOME } from '../../src/pages/page-context.js';
import { BrowserClient, onlyPlanted, PASSWORD, signInPlanted } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { type Conduct, SoftwareAuthenticator } from '../support/software-authenticator.js';
import { present } from '../support/tenant.js';

const FACTORS = '/settings/account/factors';
const PASSKEYS = `${FACTORS}/passkeys`;
const SIGN_IN = '/settings/sign-in';
const CODE = `${SIGN_IN}/code`;
const ALONE = `${SIGN_IN}/passkey`;
const addresses = new PublicAddresses('https://photos.test');
const site = present(addresses.passkeySite);

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
let device: SoftwareAuthenticator;

beforeAll(async () => {
  app = await startApp({ ports: () => ({ addresses }) });
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'owner', address());
  device = new SoftwareAuthenticator(site);
});

/** Of nobody in another test. */
const address = () => `anna.${actor.customerId}@example.com`;
const csrfOf = ({ text }: Answer) => /name="csrf-token" content="([^"]*)"/.exec(text)?.[1] ?? '';

/** What a script asks to be asked for. */
async function ask(who: BrowserClient, page: string, from: string, form = '') {
  const headers = { accept: 'application/json', 'x-csrf-token': csrfOf(await who.get(page)) };
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return who.send({ method: 'POST', path: from, body: form, headers: { ...headers, ...type } });
}

const handle = (options: Answer['body']) => Buffer.from(options.user.id, 'base64url').toString();
let whose = '';

async function add(who = browser, alone = true, conduct: Conduct = {}): Promise<Answer> {
  const { body } = await ask(who, '/settings/account', `${PASSKEYS}/options`, alone ? 'alone=yes' : '');
  whose = handle(body);
  const words = { name: '<Laptop>', ...(alone && { alone: 'yes' }), newPasskey: device.made(body.challenge, conduct) };
  return who.post(PASSKEYS, { _csrf: csrfOf(await who.get('/settings/account')), ...words });
}

const used = ({ body }: Answer, conduct: Conduct = {}) => device.used(body.challenge, whose, conduct);

async function givePassword(): Promise<BrowserClient> {
  const there = new BrowserClient(app.url);
  await there.submit(SIGN_IN, { email: address(), password: PASSWORD });
  return there;
}

async function signInAlone(there: BrowserClient, conduct: Conduct = {}, next = ''): Promise<Answer> {
  const page = `${SIGN_IN}${next && `?next=${encodeURIComponent(next)}`}`;
  const passkey = used(await ask(there, page, `${ALONE}/options`), conduct);
  return there.submit(page, { passkey }, ALONE);
}

test('a passkey is added, brings recovery codes, and is listed', async () => {
  expect((await browser.get(FACTORS)).text).toContain('with your password alone');
  const form = await browser.submit(FACTORS, {}, `${PASSKEYS}/new`);
  expect(form.text).toContain(`data-passkey="${PASSKEYS}/options"`);
  expect(form.text).toContain('Passkeys need JavaScript');
  const { body, headers } = await ask(browser, FACTORS, `${PASSKEYS}/options`, 'alone=yes');
  expect(headers['cache-control']).toBe('no-store');
  expect(body).toMatchObject({
    rp: { id: 'photos.test', name: 'Photo Service' },
    user: { name: address() },
    excludeCredentials: [],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  });
  expect(browser.setCookies.at(-1)).toMatch(
    /^__Host-phs_new_passkey=[^;]+; Max-Age=300; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/,
  );
  const refused = await add(browser, true, { verifiesUser: false });
  expect([refused.status, refused.text.includes('The passkey was not accepted')]).toEqual([400, true]);
  expect(refused.text).toContain('value="&lt;Laptop>"');
  expect(refused.text).toMatch(/name="alone" value="yes" checked/);
  const added = await add();
  expect(added.text).toContain('Your recovery codes (shown only once)');
  const { text } = await browser.get(FACTORS);
  expect(text).toContain('&lt;Laptop>');
  expect(text).toContain('Also without the password');
  expect(text).toContain('10 are left');
  expect((await browser.get('/settings/audit')).text).toContain('Second factor added');
});

test('adding a passkey is only for people who confirmed a moment ago', async () => {
  app.clock.pass(CONFIRMED_MS);
  const asked = await ask(browser, '/settings/account', `${PASSKEYS}/options`);
  expect([asked.status, asked.headers['set-cookie']]).toEqual([401, undefined]);
  expect((await browser.submit(FACTORS, {}, `${PASSKEYS}/new`)).text).toContain('Enter your password to go on');
});

test('pages explain that the browser has no support for passkeys', async () => {
  const plain = await startApp();
  const owner = new BrowserClient(plain.url);
  await owner.enter(plain.ports, (await plain.customer()).customerId);
  expect((await owner.get(FACTORS)).text).toContain('They do not work at the address of this service');
  expect((await ask(owner, FACTORS, `${PASSKEYS}/options`)).status).toBe(400);
  const stranger = new BrowserClient(plain.url);
  expect((await stranger.get(SIGN_IN)).text).not.toContain('data-passkey=');
  expect((await ask(stranger, SIGN_IN, `${ALONE}/options`)).status).toBe(400);
  await plain.close();
});

test('a passkey counts where owners require a second factor', async () => {
  await add();
  const from = new Date(app.ports.clock.now().getTime()).toISOString().slice(0, 10);
  await browser.submit('/settings/account/people', { from }, '/settings/account/people/two-step');
  const other = new BrowserClient(app.url);
  await other.enter(app.ports, actor.customerId, 'viewer', `bert.${actor.customerId}@example.com`);
  expect((await other.get('/settings/account')).headers.location).toBe(FACTORS);
  device = new SoftwareAuthenticator(site);
  const { body } = await ask(other, FACTORS, `${PASSKEYS}/options`);
  const fields = { _csrf: csrfOf(await other.get(FACTORS)), name: 'Key', newPasskey: device.made(body.challenge) };
  expect((await other.post(PASSKEYS, fields)).text).toContain('Your recovery codes');
  expect((await other.get('/settings/account')).status).toBe(200);
});

describe('with a passkey', () => {
  beforeEach(async () => {
    await add();
  });

  it('the password leads to a page that asks for the passkey, and opens no other', async () => {
    const there = await givePassword();
    const shown = await there.get(CODE);
    expect(shown.text).toContain(`data-passkey="${CODE}/passkey-options"`);
    expect((await there.get('/settings/account')).status).toBe(303);
    const asked = await ask(there, CODE, `${CODE}/passkey-options`);
    expect(asked.body).toMatchObject({
      rpId: 'photos.test',
      allowCredentials: [{ type: 'public-key', id: device.credentialId }],
    });
    const signedIn = await there.submit(CODE, { passkey: used(asked), code: '' });
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, HOME]);
    expect([...there.cookies.keys()].sort()).toEqual(['__Host-phs', '__Host-phs_device', '__Host-phs_form']);
  });

  it('an answer of a passkey counts in the browser that was asked, once', async () => {
    const [one, two] = [await givePassword(), await givePassword()];
    const passkey = used(await ask(one, CODE, `${CODE}/passkey-options`));
    await ask(two, CODE, `${CODE}/passkey-options`);
    expect((await two.submit(CODE, { passkey, code: '' })).status).toBe(400);
    const cookie = present(one.cookies.get('__Host-phs_passkey'));
    expect((await one.submit(CODE, { passkey, code: '' })).status).toBe(303);
    const three = await givePassword();
    three.cookies.set('__Host-phs_passkey', cookie);
    const replayed = await three.submit(CODE, { passkey, code: '' });
    expect([replayed.status, replayed.text.includes('This passkey was not accepted')]).toEqual([400, true]);
  });

  it('no person is asked for a passkey before the password', async () => {
    const stranger = new BrowserClient(app.url);
    expect((await ask(stranger, SIGN_IN, `${CODE}/passkey-options`)).status).toBe(404);
    const asked = await ask(stranger, SIGN_IN, `${ALONE}/options`);
    expect(asked.body).toMatchObject({ allowCredentials: [], userVerification: 'required' });
  });

  it('a passkey signs in without the password, and leads to the requested page', async () => {
    const there = new BrowserClient(app.url);
    const signedIn = await signInAlone(there, {}, '/settings/tags?sort=name');
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/settings/tags?sort=name']);
    expect((await there.get('/settings/account')).text).toContain(address());
  });

  it('a passkey signs in the browser that used it, and no one who planted cookies there before', async () => {
    expect(await signInPlanted(new BrowserClient(app.url), signInAlone)).toEqual(onlyPlanted);
  });

  it.each(['https://evil.example', '//evil.example', '/settings//evil.example'])(
    'a passkey never redirects to %s',
    async (next) => {
      const there = new BrowserClient(app.url);
      const passkey = used(await ask(there, SIGN_IN, `${ALONE}/options`));
      expect((await there.submit(SIGN_IN, { passkey, next }, ALONE)).headers.location).toBe(HOME);
    },
  );

  it('a passkey is refused in the same words, whatever is wrong', async () => {
    const refusals = [];
    for (const conduct of [{ verifiesUser: false }, { origin: 'https://evil.test' }, { credentialId: 'AAAA' }]) {
      const { status, text } = await signInAlone(new BrowserClient(app.url), conduct);
      refusals.push([status, text.replace(/[0-9a-f]{64}/g, '')]);
    }
    expect(refusals[0]?.[0]).toBe(401);
    expect(refusals[0]?.[1]).toContain('Try again, or sign in with your password.');
    expect([refusals[1], refusals[2]]).toEqual([refusals[0], refusals[0]]);
    expect((await new BrowserClient(app.url).submit(SIGN_IN, {}, ALONE)).status).toBe(401);
  });

  it('a passkey answer that comes late is refused', async () => {
    const there = new BrowserClient(app.url);
    const passkey = used(await ask(there, SIGN_IN, `${ALONE}/options`));
    app.clock.pass(CHALLENGE_MS);
    expect((await there.submit(SIGN_IN, { passkey }, ALONE)).status).toBe(401);
  });

  it('a passkey that is a second factor only does not sign in alone', async () => {
    device = new SoftwareAuthenticator(site);
    await add(browser, false);
    expect((await signInAlone(new BrowserClient(app.url))).status).toBe(401);
    const there = await givePassword();
    const passkey = used(await ask(there, CODE, `${CODE}/passkey-options`), { verifiesUser: false });
    expect((await there.submit(CODE, { passkey, code: '' })).status).toBe(303);
  });

  it('forms that decide who has access ask for the passkey, and keep their values', async () => {
    app.clock.pass(CONFIRMED_MS);
    const EMAIL = '/settings/account/email';
    const email = `new.${address()}`;
    const asked = await browser.submit('/settings/account', { email }, EMAIL);
    expect([asked.status, asked.text.includes('data-passkey="/settings/account/passkey-options"')]).toEqual([
      403,
      true,
    ]);
    const fields = { _csrf: csrfOf(await browser.get(FACTORS)), email };
    expect((await browser.post(EMAIL, { ...fields, confirmation: PASSWORD })).status).toBe(400);
    const passkey = used(await ask(browser, FACTORS, '/settings/account/passkey-options'));
    expect((await browser.post(EMAIL, { ...fields, confirmation: '', passkey })).status).toBe(303);
    expect((await browser.get('/settings/account')).text).toContain(email);
  });

  it('a new password requires the passkey', async () => {
    const there = new BrowserClient(app.url);
    await signInAlone(there);
    const change = (fields: Record<string, string>) =>
      there.submit(
        '/settings/account',
        { password: 'quite another password', ...fields },
        '/settings/account/password',
      );
    expect((await change({ current: PASSWORD })).status).toBe(400);
    const passkey = used(await ask(there, FACTORS, '/settings/account/passkey-options'));
    expect((await change({ passkey, current: '' })).status).toBe(303);
  });

  it('a passkey is removed with its own answer, and the password is enough then', async () => {
    const remove = /href="([^"]+\/passkeys\/\d+\/remove)"/.exec((await browser.get(FACTORS)).text)?.[1] ?? '';
    expect((await browser.get(remove)).text).toContain('This is your last one');
    expect((await browser.submit(remove, { code: '' })).status).toBe(400);
    const passkey = used(await ask(browser, FACTORS, '/settings/account/passkey-options'));
    expect((await browser.submit(remove, { code: '', passkey })).headers.location).toBe(FACTORS);
    expect((await (await givePassword()).get('/settings/account')).status).toBe(200);
    expect((await signInAlone(new BrowserClient(app.url))).status).toBe(401);
  });

  it('a passkey of another person is neither accepted nor found', async () => {
    const other = new BrowserClient(app.url);
    await other.enter(app.ports, actor.customerId, 'owner', `bert.${actor.customerId}@example.com`);
    const remove = /href="([^"]+\/passkeys\/\d+\/remove)"/.exec((await browser.get(FACTORS)).text)?.[1] ?? '';
    expect((await other.get(remove)).status).toBe(404);
    const own = device;
    device = new SoftwareAuthenticator(site);
    await add(other);
    const there = await givePassword();
    const asked = await ask(there, CODE, `${CODE}/passkey-options`);
    expect(
      (await there.submit(CODE, { passkey: used(asked, { credentialId: own.credentialId }), code: '' })).status,
    ).toBe(400);
    const again = await ask(there, CODE, `${CODE}/passkey-options`);
    expect((await there.submit(CODE, { passkey: used(again), code: '' })).status).toBe(400);
  });
});
