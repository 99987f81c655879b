/* @slow */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { PhotoService } from '../../sdk/src/entry.js';
import { HOME } from '../../src/pages/page-context.js';
import { Installation } from '../e2e/support/service.js';
import { type Received, Receiver } from '../support/receiver.js';
import { present } from '../support/tenant.js';
import { until } from '../support/until.js';
import { oneTimeCode } from './support/authenticator-app.js';
import { poorContrasts, seriousViolations } from './support/axe.js';
import { type BrowserSession, launchBrowser, PASSWORD, pressKey, session, tabTo, welcome } from './support/browser.js';
import { ScreenSheet, steady } from './support/reference-screens.js';
import { everyPage, firstPages, kindOf, LINKS, pages, WALK_MS } from './support/settings-pages.js';
import { showAs } from './support/usable-page.js';

/** Where pictures go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;

let installation: Installation;
let receiver: Receiver;
let browser: Browser;
let opened: BrowserSession;
let page: Page;
let token: string;
/** The address of pages. */
let site: string;

beforeAll(async () => {
  receiver = await Receiver.start();
  installation = await Installation.make({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  // By name: browsers offer passkeys at no IP address.
  site = `http://localhost:${installation.port}`;
  await installation.start({ PUBLIC_URL: site });
  token = present(installation.token());
  browser = await launchBrowser();
  opened = await session(browser);
  page = opened.page;
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
  await receiver?.close();
});

const open = (path: string) => page.goto(`${site}${path}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies field by field.
async function api(method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${installation.url}/api/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return text === '' ? null : JSON.parse(text);
}

/** A laptop, a large screen and a phone. */
const LARGE = 2560;
const widths = [1440, LARGE, 390];

/** With what buttons begin, so that each thing has one verb. */
const verbs =
  /^(Add|Allow|Cancel|Change|Choose|Clear|Close|Confirm|Continue|Copy|Create|Delete|Disable|Discard|Download|Edit|Erase|Filter|Finish|Import|Invite|Keep|Manage|Merge|Move|Open|Pause|Preview|Rate|Remove|Rename|Resend|Restore|Revoke|Rotate|Save|Search|Select|Send|Share|Show|Sign (in|out)|Switch|Tag|Try|Undo|Unlink|Untag|Use)\b/;
/** Links that look like buttons and are called by where they lead, buttons that turn something, and an answer. */
const places =
  /^(About this import|Audit log|Back|Filters|Keyboard shortcuts|Left|Newer|Next page|Older|People|Right|These are different|Trash|Usage|180°|[+−×])/;

/** What was found on pages that were looked at. */
const seenProblems: string[] = [];

/** The names of buttons, whether everyone can use the page at each width and in both colours, and how it looked before. */
async function look(path: string, name: string): Promise<void> {
  const names = await page.locator('button, a.button').evaluateAll((all) => all.map(({ textContent }) => textContent));
  // Those without a text have an icon.
  const others = names.map((each) => each?.trim() ?? '').filter((each) => each !== '');
  const wrong = others.filter((each) => !verbs.test(each) && !places.test(each)).map((each) => `is called: ${each}`);
  // It was a phone last, and is to be a laptop next.
  for (const width of widths.toReversed()) {
    await page.setViewportSize({ width, height: 800 });
    const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    if (tooWide !== 0) wrong.push(`${width}: wider than the window by ${tooWide}`);
  }
  const sheet = new ScreenSheet(name);
  for (const width of widths) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await showAs(page, width, colorScheme);
      // Most rules do not depend on colours, and on a large screen pages have nothing more than on a laptop, only more room.
      const isWhole = colorScheme === 'light' && width !== LARGE;
      const found = await (isWhole ? seriousViolations(page) : poorContrasts(page));
      wrong.push(...found.map((violation) => `${width} ${colorScheme}: ${violation}`));
      if (shots !== null) await page.screenshot({ path: join(shots, `${name} ${width} ${colorScheme}.png`) });
      await steady(page);
      await sheet.add(page);
    }
  }
  wrong.push(...(await sheet.differences()));
  seenProblems.push(...wrong.map((each) => `${path} ${each}`));
}
test('the first-run link lets one browser in, once, and onto an empty library that invites to drop photos', async () => {
  const link = present(installation.link());
  await page.goto(link);
  expect(await seriousViolations(page)).toEqual([]);
  await welcome(page, 'anna@example.com');
  await page.getByRole('navigation', { name: 'Settings' }).waitFor();
  expect(page.url()).toBe(`${site}${HOME}`);
  await page.getByText('Your library is empty. Drop photos here').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);

  const late = await session(browser);
  expect((await late.page.goto(link))?.status()).toBe(403);
  await late.page.goto(`${site}/settings`);
  expect(await late.page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
  expect(await seriousViolations(late.page)).toEqual([]);
  await late.context.close();
});

const fixture = (name: string) => readFileSync(join(__dirname, '../fixtures/photos', name));

/** Brings one photo into the library, with a tag. */
async function bring(name: string, tagId: number, bytes: Uint8Array<ArrayBuffer> = fixture(name)): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([bytes]), name);
  const { id } = await api('POST', '/imports', { tagIds: [tagId] });
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${installation.url}/api/v1/imports/${id}/photos`, { method: 'POST', headers, body: form });
  await api('POST', `/imports/${id}/finalize`);
  await until(async () => (await api('GET', `/imports/${id}`)).status === 'completed');
}

test('a webhook made in the page is delivered, is genuine, and is sent again', async () => {
  await open('/settings/webhooks');
  await page.getByRole('link', { name: 'Create endpoint' }).click();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByLabel('tag.created').check();
  expect(await page.getByLabel('Selected events').isChecked()).toBe(true);
  await press('Create endpoint');
  const secret = present(await page.locator('#secret').textContent());
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'I have stored it' }).click();
  await page.getByText('Nothing sent yet').waitFor();
  expect(await page.content()).not.toContain(secret);

  await api('POST', '/tags', { name: 'Sea' });
  await until(() => receiver.received.length === 1);
  const verify = ({ body, headers }: Received) => new Webhook(secret).verify(body, headers as Record<string, string>);
  const first = present(receiver.received[0]);
  expect(verify(first)).toMatchObject({ type: 'tag.created', data: { tag: { name: 'Sea' } } });

  await page.reload();
  await page.getByText('HTTP 204').waitFor();
  await press('Resend');
  await page.getByText('The event is being sent again.').waitFor();
  await until(() => receiver.received.length === 2);
  const second = present(receiver.received[1]);
  expect(verify(second)).toEqual(verify(first));
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(opened.complaints).toEqual([]);
});

test('the delivery log follows what is on its way, and keeps its place', async () => {
  const waiting: (() => void)[] = [];
  receiver.answer = (response) => void waiting.push(() => response.writeHead(500).end());
  await press('Send a test event');
  await page.getByText('A test event is being sent.').waitFor();
  const row = page.locator('.log tbody tr').first();
  await row.getByText('Waiting').waitFor();
  await until(() => waiting.length === 1);
  await row.getByRole('button', { name: 'Resend' }).focus();
  waiting[0]?.();
  await row.getByText('Given up').waitFor();
  await row.getByText('HTTP 500').waitFor();
  // Nothing was loaded anew: what is said once still stands, and so does the keyboard.
  expect(await page.getByText('A test event is being sent.').isVisible()).toBe(true);
  expect(await row.getByRole('button', { name: 'Resend' }).evaluate((own) => own === document.activeElement)).toBe(
    true,
  );
  expect(await page.locator('time').allTextContents()).not.toContainEqual(expect.stringContaining('UTC'));
  await page.getByText('Enabled').waitFor();
  expect(await page.getByText('Failing').count()).toBe(0);
  receiver.answer = (response) => response.writeHead(204).end();
  expect(opened.complaints).toEqual([]);
});

test('a tag is renamed and merged, on its photos too', async () => {
  const created = await api('POST', '/tags', { name: 'Flowers' });
  await bring('cyclamen.jpg', created.id);

  await open('/settings/tags');
  await page.getByRole('link', { name: 'Flowers', exact: true }).click();
  await page.getByLabel('Name').fill('Blossoms');
  await page.getByLabel('Violet').check();
  await press('Save');
  await page.getByText('The tag “Blossoms” was saved.').waitFor();

  await page.getByLabel('Select Blossoms for merging').check();
  await page.getByLabel('Select Sea for merging').check();
  await press('Merge selected tags…');
  await page.getByText('1 photo will have the remaining tag').waitFor();
  await page.getByRole('radio', { name: /^Sea/ }).check();
  await press('Merge tags');
  await page.getByText('1 tag merged into “Sea”, now on 1 photo.').waitFor();
  const { data } = await api('GET', '/photos');
  expect(data[0].tags).toMatchObject([{ name: 'Sea' }]);
  expect(opened.complaints).toEqual([]);
});

test('usage and the audit log show what was done', async () => {
  const missing = await api('GET', '/photos/999999');
  const { requestId } = missing.error;
  // Read by itself until it is there, and drawn once.
  await until(async () => (await (await page.request.get(`${site}/settings/usage`)).text()).includes(requestId));
  await open('/settings/usage');
  expect(await page.getByText(requestId).isVisible()).toBe(true);
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('Webhook endpoint created').waitFor();
  expect(opened.complaints).toEqual([]);
});

test('a delivery key is made, its secret copied from the only page that shows it, and a preset tried on a photo', async () => {
  await open('/settings/delivery');
  await page.getByRole('link', { name: 'Create key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await press('Create key');
  const secret = await page.locator('#secret').textContent();
  expect(secret).toMatch(/^phs_sign_/);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'I have stored it' }).click();
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('link', { name: 'Create preset' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('card');
  await page.getByLabel('Options').fill('w=60,h=40,fit=cover');
  await press('Preview');
  const sizes = () =>
    page.locator('img.preset-preview').evaluate((image) => {
      const { naturalWidth, naturalHeight } = image as HTMLImageElement;
      return [naturalWidth, naturalHeight];
    });
  await until(async () => (await sizes())[0] !== 0);
  expect(await sizes()).toEqual([60, 40]);
  await press('Create preset');
  await page.getByText('The preset “card” was saved.').waitFor();
  expect(opened.complaints).toEqual([]);
});

test('of similar photos the best is kept, or they are different; both can be taken back', async () => {
  const tag = await api('POST', '/tags', { name: 'Trees' });
  await bring('silver-fir.jpg', tag.id);
  await bring(
    'smaller.jpg',
    tag.id,
    new Uint8Array(await sharp(fixture('silver-fir.jpg')).resize(160).jpeg().toBuffer()),
  );
  const filenames = async (query: string) => {
    const { data } = await api('GET', `/photos?sort=filename${query}`);
    return data.map(({ filename }: { filename: string }) => filename);
  };
  const all = await filenames('');
  await open('/settings/library');
  await page.getByRole('link', { name: 'Similar photos' }).click();
  await page.getByRole('heading', { name: '2 similar photos' }).waitFor();
  expect(await page.getByLabel('Keep silver-fir.jpg').isChecked()).toBe(true);
  expect(await page.getByLabel('Keep smaller.jpg').isChecked()).toBe(false);
  await look('/settings/similar', 'similar-groups');
  await press('Move the others to the trash');
  await page.getByText('1 photo moved to the trash.').waitFor();
  expect(await filenames('&trashed=true')).toEqual(['smaller.jpg']);
  await press('Undo');
  await page.getByText('1 photo restored.').waitFor();
  expect(await filenames('')).toEqual(all);
  await press('These are different');
  await page.getByText('No similar photos').waitFor();
  await press('Undo');
  await page.getByRole('heading', { name: '2 similar photos' }).waitFor();
  await press('Move the others to the trash');
  await page.getByText('1 photo moved to the trash.').waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(opened.complaints).toEqual([]);
});

test('photos are shared, and a visitor looks at them by its link, with the keys of the keyboard', async () => {
  await open('/settings/library');
  const boxes = page.getByRole('checkbox', { name: /^Select / });
  const count = await boxes.count();
  for (let at = 0; at < count; at += 1) await boxes.nth(at).check();
  await press('Share');
  await page.getByLabel('Title').fill('For Bert');
  await page.getByLabel(/can download/).check();
  await press('Create share');
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  const link = present(await page.locator('#link').textContent());
  expect(opened.complaints).toEqual([]);

  const visitor = await session(browser);
  const pathOf = (address: string | null) => String(address).replace(/^.*[/]photos/, '');
  /** With its script, which listens to keys. */
  const loaded = (photo: string | undefined) =>
    visitor.page.waitForURL(({ pathname }) => pathOf(pathname) === photo, { waitUntil: 'load' });
  await visitor.page.goto(link);
  const hrefs = await visitor.page
    .locator('.gallery a')
    .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  const photos = hrefs.map(pathOf);
  expect(photos).toHaveLength(count);
  const isShown = () =>
    visitor.page.locator('img').evaluateAll((all) => all.every((each) => (each as HTMLImageElement).naturalWidth > 0));
  await until(isShown);
  await visitor.page.locator('.gallery a').first().click();
  await loaded(photos[0]);
  await until(isShown);
  await visitor.page.keyboard.press('ArrowRight');
  await loaded(photos[1]);
  await visitor.page.keyboard.press('ArrowLeft');
  await loaded(photos[0]);
  await visitor.page.keyboard.press('Escape');
  await visitor.page.waitForURL(link);
  expect(visitor.complaints).toEqual([]);
  expect(await visitor.context.cookies()).toEqual([]);
  await visitor.context.close();
});

test('an authenticator app is added and used with the keyboard alone', async () => {
  const checked = async (where: Page) => expect(await seriousViolations(where)).toEqual([]);
  await open('/settings/account/factors');
  await checked(page);
  await tabTo(page, 'Add an app');
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'QR code with the key' }).waitFor();
  await checked(page);
  const secret = present(await page.locator('#secret').textContent());
  await tabTo(page, 'Code');
  await page.keyboard.type(oneTimeCode(secret));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Recovery codes', exact: true }).waitFor();
  await checked(page);
  expect((await page.locator('#codes').innerText()).split('\n')).toHaveLength(10);

  const there = await session(browser);
  await there.page.goto(`${site}/settings/sign-in`);
  await tabTo(there.page, 'E-mail address');
  await there.page.keyboard.type('anna@example.com');
  await tabTo(there.page, 'Password');
  await there.page.keyboard.type(PASSWORD);
  await there.page.keyboard.press('Enter');
  await there.page.getByRole('heading', { name: 'Enter a code' }).waitFor();
  await checked(there.page);
  // The code that was used a moment ago is not accepted again, the next one is already.
  await tabTo(there.page, 'Code');
  await there.page.keyboard.type(oneTimeCode(secret, 30));
  await there.page.keyboard.press('Enter');
  await there.page.getByRole('navigation', { name: 'Settings' }).waitFor();
  expect([opened.complaints, there.complaints]).toEqual([[], []]);
  await there.context.close();
});

test('a passkey is added, used after the password and instead of it, and removed, with the keyboard alone', async () => {
  const devices = await opened.context.newCDPSession(page);
  await devices.send('WebAuthn.enable');
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  const checked = async () => expect(await seriousViolations(page)).toEqual([]);
  const signOut = async () => {
    await open('/settings/account');
    await pressKey(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  };
  const inside = () => page.getByRole('navigation', { name: 'Settings' }).waitFor();

  await open('/settings/account/factors');
  await pressKey(page, 'Add a passkey');
  await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
  await checked();
  await tabTo(page, 'Sign in with it without the password');
  await page.keyboard.press('Space');
  // The form says in place what went wrong, and can be sent again.
  await devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await pressKey(page, 'Add');
  await page.getByText('No passkey was used').waitFor();
  await checked();
  await devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await pressKey(page, 'Add');
  await page.getByText('“Passkey” was added').waitFor();
  expect(await page.getByRole('table', { name: 'Passkeys' }).innerText()).toContain('Also without the password');
  await checked();

  await signOut();
  await checked();
  await tabTo(page, 'E-mail address');
  await page.keyboard.type('anna@example.com');
  await tabTo(page, 'Password');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await checked();
  await pressKey(page, 'Use a passkey');
  await inside();

  await signOut();
  await pressKey(page, 'Sign in with a passkey');
  await inside();

  await open('/settings/account/factors');
  await page.getByRole('table', { name: 'Passkeys' }).getByRole('link', { name: 'Remove' }).press('Enter');
  await page.getByRole('heading', { name: 'Remove “Passkey”?' }).waitFor();
  await checked();
  await pressKey(page, 'Remove with a passkey');
  await page.getByText('The second factor was removed').waitFor();
  expect(await page.getByRole('table', { name: 'Passkeys' }).count()).toBe(0);
  await devices.detach();
  expect(opened.complaints).toEqual([]);
});

/** Of its picture. */
const nameOf = (path: string) =>
  kindOf(path)
    .replace(/^\/(settings\/)?/, '')
    .replace(/\?(view=)?/, '-')
    .replaceAll('*', 'one')
    .replaceAll('/', '-');

test(
  'every page can be used by everyone, at each width, in light and dark; each thing has one verb; all look as they did',
  async () => {
    const client = new PhotoService({ baseUrl: installation.url, token });
    const visitor = {
      open: async (path: string) => void (await open(path)),
      links: () => page.locator(LINKS).evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '')),
    };
    const first = await firstPages(installation, client);
    const seen = await everyPage(visitor, first, (path) => look(path, nameOf(path)));
    expect(seenProblems).toEqual([]);
    expect(seen).toEqual(pages);
    expect(opened.complaints).toEqual([]);
  },
  WALK_MS,
);
