/* @slow */
import type { Browser, Page } from 'playwright-core';
import { CONFIRMED_MS } from '../../src/core/users/session.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { MailServer } from '../support/mail-server.js';
import { OpenIdServer } from '../support/openid-server.js';
import { present } from '../support/tenant.js';
import { oneTimeCode } from './support/authenticator-app.js';
import {
  type BrowserSession,
  enterInto,
  launchBrowser,
  PASSWORD,
  pressKey,
  session,
  signIn,
  tabTo,
  typeInto,
  welcome,
} from './support/browser.js';
import { JumpingClock } from './support/jumping-clock.js';
import { expectUsable } from './support/usable-page.js';

let clock: JumpingClock;
let installation: Installation;
let mails: MailServer;
let provider: OpenIdServer;
let browser: Browser;
let owner: BrowserSession;

beforeAll(async () => {
  clock = new JumpingClock();
  [mails, installation] = await Promise.all([MailServer.start(), Installation.make()]);
  provider = await OpenIdServer.start(`${installation.url}/settings/sign-in/with/oidc/answer`);
  await installation.start({
    ...{ SMTP_URL: `smtp://127.0.0.1:${mails.port}`, MAIL_FROM: 'photos@example.com' },
    ...{ OIDC_ISSUER: provider.issuer, OIDC_NAME: 'Keycloak' },
    ...{ OIDC_CLIENT_ID: 'photos', OIDC_CLIENT_SECRET: 'a secret of the client' },
    ...clock.environment,
  });
  browser = await launchBrowser();
  owner = await session(browser);
  await owner.page.goto(installation.link() ?? '');
  await look('welcome');
  await typeInto(owner.page, 'E-mail address', 'first@example.com');
  await enterInto(owner.page, 'Password', PASSWORD);
  await owner.page.getByRole('navigation', { name: 'Settings' }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
  await Promise.all([mails?.close(), provider?.close()]);
  clock?.remove();
});

const open = (path: string) => owner.page.goto(`${installation.url}${path}`);

const look = (name: string, page: Page = owner.page) => expectUsable(name, page);

let ahead = 0;
/** At the service. Nobody has to wait. */
function pass(seconds: number): void {
  ahead += seconds;
  clock.jumpTo(ahead);
}
const CONFIRMED_S = CONFIRMED_MS / 1000;

const opened = new Set<string>();
/** The link in a mail to somebody that nobody has followed yet. */
function mailedLink(email: string): Promise<string> {
  return until(`a link for ${email}`, () => {
    const texts = mails.received.filter(({ to }) => to.includes(email)).map(({ text }) => text);
    const links = texts.flatMap((text) => text.match(/http\S+\/settings\/(?:enter|confirm-email)\/\S+/g) ?? []);
    const link = links.find((each) => !opened.has(each)) ?? '';
    opened.add(link);
    return link;
  });
}

const me = (token: string) =>
  fetch(`${installation.url}/api/v1/me`, { headers: { Authorization: `Bearer ${token}`, Connection: 'close' } });

test('a key is created, used, edited, replaced, deleted and refused', async () => {
  const { page, complaints } = owner;
  await open('/settings/keys');
  await pressKey(page, 'Create key');
  await page.getByRole('heading', { name: 'Create key' }).waitFor();
  await typeInto(page, 'Name', 'Website');
  await typeInto(page, 'Allowed addresses', '10.0.0.256\n10.0.0.0/8');
  await pressKey(page, 'Create key');
  await page.getByText('256 is too large').waitFor();
  await look('key-refused');
  await typeInto(page, 'Allowed addresses', '127.0.0.0/8\n::1');
  await pressKey(page, 'Create key');
  const token = (await page.locator('#token').textContent())?.trim() ?? '';
  expect(token).toMatch(/^phs_live_\w{49}$/);
  const used = await me(token);
  expect([used.status, (await used.json()).apiKey.name]).toEqual([200, 'Website']);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await pressKey(page, 'Copy');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
  // Loading the page again makes no second key, and shows no token.
  expect(page.url()).toBe(`${installation.url}/settings/keys`);
  await page.reload();
  await page.getByText('from 127.0.0.1', { exact: true }).waitFor();
  expect(await page.content()).not.toContain(token);

  await pressKey(page, 'Rotate Website');
  await page.getByRole('heading', { name: 'Replace a key' }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Website');
  expect(await page.getByLabel('Read only').isChecked()).toBe(true);
  await pressKey(page, 'Create key');
  const replacement = (await page.locator('#token').textContent())?.trim() ?? '';
  await pressKey(page, 'Delete the old “Website”');
  await page.getByRole('button', { name: 'Delete key' }).waitFor();
  await pressKey(page, 'Delete key');
  await page.getByText('was deleted and no longer works').waitFor();
  expect((await me(token)).status).toBe(401);
  expect((await me(replacement)).status).toBe(200);

  await pressKey(page, 'Website');
  await page.getByLabel('Name').waitFor();
  await enterInto(page, 'Name', 'Website, new');
  await page.getByText('“Website, new” was changed').waitFor();
  expect((await (await me(replacement)).json()).apiKey.name).toBe('Website, new');
  expect(complaints.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([]);
});

test('the pages that show a secret are accessible', async () => {
  const { page } = owner;
  await open('/settings/keys/new');
  await typeInto(page, 'Name', 'Nightly import');
  await tabTo(page, 'Read only');
  await page.keyboard.press('ArrowDown');
  expect(await page.getByLabel('Importer').isChecked()).toBe(true);
  await pressKey(page, 'Create key');
  await page.locator('#token').waitFor();
  // Of this one the picture is kept: it is worth nothing outside.
  await look('key-made');
});

test('an account changes its address, password, people and browsers', async () => {
  const { page } = owner;
  await open('/settings/account');
  await enterInto(page, 'E-mail address', 'anna@example.com');
  await page.getByText('We have sent a link to anna@example.com.').waitFor();
  const elsewhere = await session(browser);
  await elsewhere.page.goto(await mailedLink('anna@example.com'));
  await look('confirm-address', elsewhere.page);
  await pressKey(elsewhere.page, 'Confirm');
  await elsewhere.page.getByText('From now on you sign in with anna@example.com.').waitFor();
  await look('address-confirmed', elsewhere.page);
  await elsewhere.context.close();
  await open('/settings/account');
  expect(await page.getByLabel('Current password').count()).toBe(0);
  await enterInto(page, 'New password', OWN_PASSWORD);
  await page.getByText('Your password was changed').waitFor();

  const phone = await session(browser, { width: 390 });
  await phone.page.goto(`${installation.url}/settings`);
  await look('sign-in', phone.page);
  await signIn(phone.page, 'anna@example.com', 'not the password');
  await phone.page.getByText('is incorrect').waitFor();
  await enterInto(phone.page, 'Password', OWN_PASSWORD);
  await phone.page.waitForURL('**/settings/library');

  await open('/settings/account');
  await pressKey(page, 'People');
  await page.getByRole('heading', { name: 'People', exact: true }).waitFor();
  await enterInto(page, 'E-mail address', 'bert@example.com');
  const link = (await page.locator('#link').textContent())?.trim() ?? '';
  await look('person-invited');
  await open('/settings/account/people');
  const bert = await session(browser);
  expect(await mailedLink('bert@example.com')).toBe(link);
  await bert.page.goto(link);
  await look('welcome-editor', bert.page);
  await enterInto(bert.page, 'Password', PASSWORD);
  await bert.page.waitForURL('**/settings/library');
  await pressKey(bert.page, 'Account');
  await bert.page.getByText('You are an editor of').waitFor();
  expect(await bert.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  await look('editor', bert.page);
  expect((await bert.page.goto(`${installation.url}/settings/keys`))?.status()).toBe(403);
  await look('forbidden', bert.page);

  const isSignedOut = async () => {
    await phone.page.goto(`${installation.url}/settings/account`);
    await phone.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };
  await open('/settings/account');
  await pressKey(page, 'Sign out Chrome on Linux at 127.0.0.1');
  await page.getByText('That browser is signed out.').waitFor();
  await isSignedOut();
  await signIn(phone.page, 'anna@example.com', OWN_PASSWORD);
  await phone.page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  await page.reload();
  await pressKey(page, 'Sign out everywhere else');
  await page.getByText('signed out everywhere else').waitFor();
  await isSignedOut();
  await Promise.all([phone.context.close(), bert.context.close()]);
});

/** By `phs user link`. */
async function linkByOperator(email: string, ...options: string[]): Promise<string> {
  const { users } = JSON.parse((await installation.operate('user', 'list', '--customer', '1', '--json')).stdout);
  const { id } = users.find((user: { email: string }) => user.email === email);
  const { stdout } = await installation.operate('user', 'link', String(id), '--customer', '1', ...options, '--json');
  return JSON.parse(stdout).url;
}

/** As somebody does who has forgotten the password, with the keyboard alone. */
async function linkByMail(email: string): Promise<string> {
  const { page, context } = await session(browser);
  await page.goto(`${installation.url}/settings`);
  await pressKey(page, 'Forgot your password?');
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await look('forgotten', page);
  await enterInto(page, 'E-mail address', email);
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await look('forgotten-asked', page);
  await context.close();
  return mailedLink(email);
}

test.each([
  ['the operator made', linkByOperator, PASSWORD, 'a password that is new'],
  ['came by mail', linkByMail, 'a password that is new', 'one more password of mine'],
])('a lost password is replaced by a link that %s, and every other browser is signed out', async (...given) => {
  const [, linkFor, lost, chosen] = given;
  const [old, fresh] = [await session(browser), await session(browser)];
  await old.page.goto(`${installation.url}/settings`);
  await signIn(old.page, 'bert@example.com', lost);
  await old.page.waitForURL('**/settings/library');
  await fresh.page.goto(await linkFor('bert@example.com'));
  await look('new-password', fresh.page);
  await enterInto(fresh.page, 'New password', chosen);
  await fresh.page.waitForURL('**/settings/library');
  await old.page.goto(`${installation.url}/settings/library`);
  await old.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(old.page, 'bert@example.com', chosen);
  await old.page.waitForURL('**/settings/library');
  await Promise.all([old.context.close(), fresh.context.close()]);
});

test('single sign-on works with the keyboard alone: signing in, confirming and signing out', async () => {
  provider.people.set('carla', { email: 'carla@example.com', email_verified: true });
  await installation.operate('user', 'invite', '--customer', '1', '--email', 'carla@example.com', '--role', 'viewer');
  const { page, context, complaints } = await session(browser);
  await page.goto(`${installation.url}/settings`);
  await look('sign-in-with-provider', page);
  await pressKey(page, 'Continue with Keycloak');
  await page.getByLabel('Name').waitFor();
  await enterInto(page, 'Name', 'carla');
  await page.waitForURL('**/settings/library');
  await page.goto(`${installation.url}/settings/account`);
  await look('account-by-provider', page);
  await enterInto(page, 'E-mail address', 'carla@new.example');
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await look('confirm-by-provider', page);
  const [beside] = await Promise.all([
    page.waitForEvent('popup'),
    pressKey(page, 'Confirm with Keycloak (opens a new window)'),
  ]);
  await beside.getByLabel('Name').waitFor();
  await enterInto(beside, 'Name', 'carla');
  await beside.getByRole('heading', { name: 'Confirmed' }).waitFor();
  await look('confirmed-by-provider', beside);
  await beside.close();
  await pressKey(page, 'Continue');
  await page.getByText('We have sent a link to carla@new.example.').waitFor();
  await pressKey(page, 'Sign out');
  await page.getByRole('heading', { name: 'Signed out' }).waitFor();
  await look('signed-out', page);
  await pressKey(page, 'Sign out of Keycloak');
  await page.getByRole('button', { name: 'Yes, sign me out' }).waitFor();
  await pressKey(page, 'Yes, sign me out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(page.url()).toBe(`${installation.url}/settings/sign-in`);
  expect(complaints.filter((line) => !line.includes('403 (Forbidden)'))).toEqual([]);

  // Whom nobody has invited is told so where the other ways in are.
  provider.people.set('mallory', { email: 'mallory@example.com', email_verified: true });
  await pressKey(page, 'Continue with Keycloak');
  await page.getByLabel('Name').waitFor();
  await enterInto(page, 'Name', 'mallory');
  await page.getByText('No one here has the address mallory@example.com').waitFor();
  await look('refused-by-provider', page);
  await tabTo(page, 'Password');
  await context.close();
});

test('every page of access works without scripts', async () => {
  const made = await installation.operate('user', 'invite', '--customer', '1', '--email', 'carl@example.com', '--json');
  const { page, context } = await session(browser, { javaScriptEnabled: false });
  await page.goto(JSON.parse(made.stdout).url);
  await welcome(page);
  await page.goto(`${installation.url}/settings/keys/new`);
  await page.getByLabel('Name').fill('Without scripts');
  await page.getByRole('radio', { name: /^Custom/ }).check();
  await page.getByLabel('tags:read').check();
  await page.getByRole('button', { name: 'Create key' }).click();
  const token = (await page.locator('#token').textContent())?.trim() ?? '';
  expect((await (await me(token)).json()).error.details).toEqual({ scope: 'customer:read' });
  await context.close();
});

/** The owner's, once it was changed. */
const OWN_PASSWORD = 'quite another password';
/** Of the owner's authenticator app. */
let ownSecret: string;
/** Of Dora's first one. */
let secretOfDora: string;

test('a role is changed, a provider unlinked and a person removed, and each counts at once', async () => {
  const [bert, carla] = [await session(browser), await session(browser)];
  await bert.page.goto(`${installation.url}/settings`);
  await signIn(bert.page, 'bert@example.com', 'one more password of mine');
  await bert.page.waitForURL('**/settings/library');
  await carla.page.goto(`${installation.url}/settings/sign-in/with/oidc`);
  await enterInto(carla.page, 'Name', 'carla');
  await carla.page.waitForURL('**/settings/library');
  const { page } = owner;
  await open('/settings/account/people');
  await tabTo(page, 'Role of bert@example.com');
  await page.keyboard.press('v');
  await pressKey(page, 'Change role bert@example.com');
  await page.getByText('bert@example.com is a viewer from now on.').waitFor();
  await pressKey(bert.page, 'Account');
  await bert.page.getByText('You are a viewer of').waitFor();
  await look('viewer', bert.page);

  await pressKey(page, 'Unlink provider of carla@example.com');
  await page.getByText('The provider was unlinked, and the person is signed out everywhere.').waitFor();
  await carla.page.reload();
  await carla.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();

  await pressKey(page, 'Remove bert@example.com');
  await page.getByRole('heading', { name: 'Remove bert@example.com?' }).waitFor();
  await look('remove-person');
  await pressKey(page, 'Remove');
  await page.getByText('bert@example.com no longer has access.').waitFor();
  await bert.page.reload();
  await bert.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await Promise.all([bert.context.close(), carla.context.close()]);
});

test('a quarter of an hour later the password is asked for again, and the form goes on with it', async () => {
  const { page } = owner;
  pass(CONFIRMED_S);
  await open('/settings/account/people');
  await enterInto(page, 'E-mail address', 'dora@example.com');
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await look('confirm');
  await enterInto(page, 'Password', 'not the password');
  await page.getByText('This is not your password').waitFor();
  await look('confirm-refused');
  await enterInto(page, 'Password', OWN_PASSWORD);
  await page.getByRole('heading', { name: 'A link for dora@example.com' }).waitFor();
});

/** With the keyboard alone, from the page of factors to that of the codes. The secret of the app. */
async function addApp(page: Page): Promise<string> {
  await pressKey(page, 'Add an app');
  await page.getByRole('heading', { name: 'Add an authenticator app' }).waitFor();
  await look('add-app', page);
  const secret = present(await page.locator('#secret').textContent());
  await enterInto(page, 'Code', oneTimeCode(secret, ahead));
  await page.getByRole('heading', { name: 'Recovery codes', exact: true }).waitFor();
  await look('recovery-codes', page);
  expect(await recoveryCodes(page)).toHaveLength(10);
  return secret;
}

const recoveryCodes = async (page: Page) => (await page.locator('#codes').innerText()).split('\n');

/** The code after the one that was used last. */
function nextCode(secret: string): string {
  pass(30);
  return oneTimeCode(secret, ahead);
}

/** As in the field for a day: that of the service in so many days. */
const dayIn = (days: number) =>
  new Date(Date.now() + ahead * 1000 + days * 86_400_000).toISOString().replace(/^(\d+)-(\d+)-(\d+).*/, '$2$3$1');

async function requireFactors(days: number): Promise<void> {
  await open('/settings/account/people');
  await enterInto(owner.page, 'Required from', dayIn(days));
  await owner.page.getByText('Everyone needs two-step sign-in from').waitFor();
}

test('a second factor that is required of everyone is announced, comes before every other page, and is replaced by a recovery code', async () => {
  const { page, context } = await session(browser);
  await page.goto(await mailedLink('dora@example.com'));
  await enterInto(page, 'Password', PASSWORD);
  await page.waitForURL('**/settings/library');
  await open('/settings/account/factors');
  ownSecret = await addApp(owner.page);
  await requireFactors(1);
  await look('people');
  await page.reload();
  await page.getByText('Everyone in this account needs two-step sign-in').waitFor();
  await look('factor-announced', page);

  await requireFactors(0);
  for (const path of ['/settings/library', '/settings/account', '/settings/account/export/photos.jsonl']) {
    await page.goto(`${installation.url}${path}`);
    expect(page.url()).toBe(`${installation.url}/settings/account/factors`);
  }
  await look('factor-required', page);
  secretOfDora = await addApp(page);
  await pressKey(page, 'I have stored them');
  await page.getByRole('table', { name: 'Authenticator apps' }).waitFor();
  await look('factors', page);
  await pressKey(page, 'Create new codes');
  await page.getByText('codes that you had before stopped working').waitFor();
  const codes = await recoveryCodes(page);
  await pressKey(page, 'Library');
  await page.waitForURL('**/settings/library');

  /** With the keyboard alone, up to the question for a code. */
  const signInAgain = async () => {
    await pressKey(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await signIn(page, 'dora@example.com', PASSWORD);
    await page.getByRole('heading', { name: 'Enter a code' }).waitFor();
  };
  await signInAgain();
  await look('code', page);
  await enterInto(page, 'Code', present(codes[0]));
  await page.waitForURL('**/settings/library');
  await signInAgain();
  await enterInto(page, 'Code', present(codes[0]));
  await page.getByText('This code is wrong, or has been used').waitFor();
  await look('code-refused', page);
  await enterInto(page, 'Code', present(codes[1]));
  await page.waitForURL('**/settings/library');
  await context.close();
});

test('a mailed link does not replace the second factor, nor does one app another, and a link of an owner removes lost factors', async () => {
  const { page, context } = await session(browser);
  const inLibrary = () => page.waitForURL('**/settings/library');
  const chooseAnother = async (link: string) => {
    await page.goto(link);
    await enterInto(page, 'New password', 'a password that Dora chose');
  };
  await chooseAnother(await linkByMail('dora@example.com'));
  await page.getByRole('heading', { name: 'Enter a code' }).waitFor();
  await page.goto(`${installation.url}/settings/library`);
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await signIn(page, 'dora@example.com', 'a password that Dora chose');
  await page.getByRole('heading', { name: 'Enter a code' }).waitFor();
  await enterInto(page, 'Code', nextCode(secretOfDora));
  await inLibrary();

  await page.goto(`${installation.url}/settings/account/factors`);
  await pressKey(page, 'Add an app');
  await page.getByRole('heading', { name: 'Add an authenticator app' }).waitFor();
  await typeInto(page, 'Name', 'Tablet');
  const secret = present(await page.locator('#secret').textContent());
  await enterInto(page, 'Code', oneTimeCode(secret, ahead));
  await page.getByText('“Tablet” was added.').waitFor();
  await look('two-factors', page);
  await pressKey(page, 'Remove Phone');
  await page.getByRole('heading', { name: 'Remove “Phone”?' }).waitFor();
  await look('remove-factor', page);
  await enterInto(page, 'Code', '000000');
  await page.getByText('This code is wrong, or has been used').waitFor();
  await enterInto(page, 'Code', nextCode(secret));
  await page.getByText('The second factor was removed').waitFor();
  const table = page.getByRole('table', { name: 'Authenticator apps' });
  expect(await table.getByRole('row').allInnerTexts()).toEqual([expect.any(String), expect.stringContaining('Tablet')]);

  await chooseAnother(await linkByOperator('dora@example.com', '--without-factors'));
  // It is required of everyone.
  await page.getByText('with your password alone').waitFor();
  expect(page.url()).toBe(`${installation.url}/settings/account/factors`);
  await context.close();
});

test('an owner who restricts the addresses of the settings area is warned first, and only the operator admits a person who is locked out', async () => {
  const { page } = owner;
  const set = async (list: string) => {
    await typeInto(page, 'Allowed addresses', list);
    await pressKey(page, 'Save');
  };
  const warned = () => page.getByText('Yours is among them').waitFor();
  pass(CONFIRMED_S);
  await open('/settings/account/people');
  await pressKey(page, 'Change…');
  await page.getByRole('heading', { name: 'Allowed addresses' }).waitFor();
  await set('203.0.113.0/24');
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await look('confirm-by-code');
  await enterInto(page, 'Code', nextCode(ownSecret));
  await warned();
  await look('addresses-warning');
  await set('127.0.0.0/8');
  await page.getByText('from one address or range alone').waitFor();

  await pressKey(page, 'Change…');
  await page.getByRole('heading', { name: 'Allowed addresses' }).waitFor();
  await set('203.0.113.0/24');
  await warned();
  await tabTo(page, 'Block them from now on');
  await page.keyboard.press('Space');
  await pressKey(page, 'Save');
  await page.getByText('cannot be used from').waitFor();
  await look('locked-out');
  await installation.operate('customer', 'addresses', '1', '--no-ip');
  await open('/settings/account/people');
  await page.getByText('can be used from anywhere').waitFor();
});

test('a person with two accounts changes between them, and erases one', async () => {
  const made = JSON.parse(
    (await installation.operate('customer', 'create', '--name', 'Studio South', '--json')).stdout,
  );
  const invitation = ['--customer', String(made.id), '--email', 'anna@example.com', '--json'];
  const { url } = JSON.parse((await installation.operate('user', 'invite', ...invitation)).stdout);
  const { page } = owner;
  const elsewhere = await session(browser);
  await elsewhere.page.goto(url);
  await enterInto(elsewhere.page, 'Password', PASSWORD);
  await elsewhere.page.waitForURL('**/settings/library');
  await elsewhere.context.close();

  await open('/settings/library');
  await pressKey(page, 'Account: First customer');
  await pressKey(page, 'Sign in to another account');
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await signIn(page, 'anna@example.com', PASSWORD);
  await page.getByText('Account: Studio South').waitFor();
  await pressKey(page, 'Account: Studio South');
  await page.getByRole('button', { name: 'Switch to First customer' }).waitFor();
  await look('account-menu');
  await pressKey(page, 'Switch to First customer');
  await page.getByText('Account: First customer').waitFor();
  await pressKey(page, 'Account: First customer');
  await pressKey(page, 'Switch to Studio South');
  await page.getByText('Account: Studio South').waitFor();

  await pressKey(page, 'Account');
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  await pressKey(page, 'Erase the account…');
  await page.getByRole('heading', { name: 'Erase Studio South?' }).waitFor();
  await look('erase');
  await enterInto(page, 'Name of the account', 'Studio South');
  await page.getByRole('heading', { name: 'Studio South is closed' }).waitFor();
  await look('erased');
});

test('phs shows who has access, changes keys, and removes access', async () => {
  const listed = JSON.parse((await installation.command('user', 'list', '--customer', '1', '--json')).stdout);
  const carl = listed.users.find(({ email }: { email: string }) => email === 'carl@example.com');
  expect(carl).toMatchObject({ role: 'owner', hasPassword: true });
  const removed = await installation.command('user', 'remove', String(carl.id), '--customer', '1', '--json');
  expect(JSON.parse(removed.stdout)).toEqual({ id: carl.id, removed: true });
  const changes = [
    '--name',
    'Mine',
    '--ip',
    '192.0.2.0/24',
    '--read-limit',
    '900',
    '--write-limit',
    'default',
    '--json',
  ];
  const edited = await installation.command('key', 'edit', '1', ...changes);
  expect(JSON.parse(edited.stdout)).toMatchObject({
    id: 1,
    name: 'Mine',
    readLimit: 900,
    writeLimit: null,
    ipList: ['192.0.2.0/24'],
  });
});
