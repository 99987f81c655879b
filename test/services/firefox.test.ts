/* @slow */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openZip, wholeOf } from '../../cli/src/sources/archive.js';
import { type Photo, PhotoService } from '../../sdk/src/entry.js';
import { importFiles } from '../../sdk/src/node/entry.js';
import { Installation } from '../e2e/support/service.js';
import { Receiver } from '../support/receiver.js';
import { present } from '../support/tenant.js';
import { until } from '../support/until.js';
import { oneTimeCode } from './support/authenticator-app.js';
import { AXE, AXE_AT_HAND, CONTRASTS, seriousOf, type Violation, violationsBy } from './support/axe.js';
import { PASSWORD } from './support/browser.js';
import { Firefox } from './support/firefox.js';
import { everyPage, firstPages, kindOf, LINKS, pages, WALK_MS } from './support/settings-pages.js';

/** Every page and the actions on photos in the other engine, once; details are shown with Chromium. */
let installation: Installation;
let receiver: Receiver;
let client: PhotoService;
let firefox: Firefox;
/** Of the authenticator app. */
let appSecret: string;

const fixture = (name: string) => join(__dirname, '../fixtures/photos', name);
const filenames = ['cyclamen.jpg', 'el-torcal-rocks.jpg', 'gps-west.jpg'];

beforeAll(async () => {
  receiver = await Receiver.start();
  installation = await Installation.make({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  await installation.start();
  client = new PhotoService({ baseUrl: installation.url, token: present(installation.token()) });
  await importFiles(client, filenames.map(fixture));
  firefox = await Firefox.launch();
  await firefox.resize(1440, 900);
});
afterAll(async () => {
  await firefox?.close();
  await installation?.remove();
  await receiver?.close();
});
afterEach(() => expect(firefox.complaints).toEqual([]));

const open = (path: string) => firefox.goto(`${installation.url}${path}`);
const path = () => firefox.evaluate<string>('location.pathname');
const text = (selector: string) =>
  firefox.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
const waitForText = (text: string, selector = 'main') =>
  firefox.wait(`document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`);

/** What axe finds on the page that is open. */
async function violations(options: object = {}): Promise<string[]> {
  if ((await firefox.evaluate('typeof axe')) === 'undefined') {
    const isAtHand = await firefox.evaluate<boolean>(`'loadAxe' in globalThis`);
    await firefox.evaluate(isAtHand ? 'loadAxe()' : `void (0, eval)(${JSON.stringify(AXE)})`);
  }
  return seriousOf(await firefox.evaluate<readonly Violation[]>(violationsBy(options)));
}

async function openLibrary(query = ''): Promise<void> {
  await open(`/settings/library${query}`);
  await firefox.wait(`document.querySelector('button[data-start-selecting]:not([hidden])')`);
}

/** Those of the library, by the names of their files. */
async function photos(): Promise<readonly Photo[]> {
  const all: Photo[] = [];
  for await (const photo of client.photos.list({ sort: 'filename' })) all.push(photo);
  return all;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The hash of each file in an archive. */
async function unpacked(path: string): Promise<readonly string[]> {
  const archive = await openZip(path);
  const hashes: string[] = [];
  for (const file of archive.files) hashes.push(sha256(await wholeOf(file, 10_000_000)));
  await archive.close();
  return hashes.sort();
}

test('a person signs in by the first link, and sees the photos', async () => {
  await firefox.goto(present(installation.link()));
  expect(await violations()).toEqual([]);
  await firefox.click('input[name="email"]');
  await firefox.type('anna@example.com');
  await firefox.click('input[type="password"]');
  await firefox.type(PASSWORD);
  await firefox.press('Enter');
  await firefox.wait(`location.pathname === '/settings/library'`);
  await firefox.wait(
    `[...document.querySelectorAll('.grid img')].filter((each) => each.naturalWidth > 0).length === 3`,
  );
  // The typeface is the one that the service sends.
  await firefox.wait(
    `document.fonts.check('1rem Inter') && [...document.fonts].some((each) => each.status === 'loaded')`,
  );
});

test('photos are chosen by keys and by the mouse, tagged in place, and the tag is taken back', async () => {
  await openLibrary();
  await firefox.evaluate(`document.querySelector('.grid a').focus()`);
  await firefox.press('x', 'ArrowRight', 'x');
  await firefox.wait(`document.querySelector('.selection .count').textContent === '2 photos selected'`);
  await firefox.click('.grid > li:nth-child(3) a, .sections section:last-child .grid > li:last-child a');
  await firefox.wait(`document.querySelector('.selection .count').textContent === '3 photos selected'`);
  await firefox.click('#selection-tag');
  await firefox.type('Spring');
  await firefox.press('Enter');
  await firefox.wait(`/3 photos/.test(document.querySelector('.toast')?.textContent)`);
  expect(await path()).toBe('/settings/library');
  await firefox.click('.toast button');
  await firefox.wait(`/Undone/.test(document.querySelector('.toast')?.textContent)`);
  await firefox.press('Escape');
});

test('the viewer opens, enlarges, leads on, and its panel saves a title and a tag', async () => {
  await openLibrary();
  await firefox.click('.grid > li a');
  await firefox.wait(`document.querySelector('dialog[data-photo-viewer]').open`);
  const first = await path();
  expect(first).toMatch(/^\/settings\/photos\/\d+$/);
  await firefox.press('+');
  await firefox.wait(`document.querySelector('.viewer-stage.zoomed')`);
  await firefox.press('0', 'ArrowRight');
  await firefox.wait(`location.pathname !== ${JSON.stringify(first)}`);
  await firefox.press('i');
  await firefox.click('.viewer-panel input[name="title"]');
  await firefox.type('In Firefox');
  await firefox.press('Enter');
  await firefox.wait(`document.querySelector('.viewer-panel h1')?.textContent === 'In Firefox'`);
  await firefox.click('.viewer-panel #new-tag');
  await firefox.type('Panel');
  await firefox.press('Enter');
  await waitForText('Panel', '.viewer-panel .tags');
  await firefox.evaluate('document.activeElement.blur()');
  await firefox.press('Escape');
  await firefox.wait(`!document.querySelector('dialog[data-photo-viewer]').open`);
  expect(await path()).toBe('/settings/library');
});

test('filters narrow the list in place, and Back restores the one before', async () => {
  await openLibrary();
  await firefox.click('#filter-q');
  await firefox.type('firefox');
  await firefox.press('Enter');
  await firefox.wait(`document.querySelectorAll('.grid > li').length === 1`);
  expect(await firefox.evaluate('location.search')).toContain('q=firefox');
  await firefox.evaluate('history.back()');
  await firefox.wait(`document.querySelectorAll('.grid > li').length === 3`);
});

test('a search is saved, and its name leads to it', async () => {
  await openLibrary('?q=firefox');
  await firefox.follow('Save this search');
  await firefox.fill('#new-search', 'Foxes');
  await firefox.press('Enter');
  await waitForText('Search “Foxes” saved.');
  await openLibrary();
  await firefox.follow('Foxes');
  await firefox.wait(`document.querySelectorAll('.grid > li').length === 1`);
  expect(await firefox.evaluate('location.search')).toBe('?q=firefox');
});

test('a photo that is selected in the dialog of the browser is imported with its tags', async () => {
  await open('/settings/import');
  await firefox.click('#import-tags');
  await firefox.type('Garden');
  await firefox.setFiles('#import-files', [fixture('notocactus.jpg')]);
  await firefox.wait(`document.querySelector('[data-run="details"]')?.checkVisibility()`);
  expect(await text('[data-run="summary"]')).toBe('1 photo imported.');
  const imported = (await photos()).find(({ filename }) => filename === 'notocactus.jpg');
  expect(imported?.tags.map(({ name }) => name)).toEqual(['Garden']);
});

test('all photos are selected, and rated, turned, dated, tagged, untagged, trashed; each is undone', async () => {
  const before = await photos();
  const all = `${before.length} photos`;
  await openLibrary();
  await firefox.pressWithControl('a');
  await waitForText(`${all} selected`, '.selection .count');
  const changed = async (button: string, said: string) => {
    await firefox.click(`.selection button[value="${button}"]`);
    await waitForText(said, '.toast');
  };
  const undone = async () => {
    await firefox.click('.toast button');
    await waitForText(`Undone: ${all} are as before.`, '.toast');
    const about = ({ rating, width, takenAt, tags }: Photo) => [rating, width, takenAt, tags.map(({ name }) => name)];
    expect((await photos()).map(about)).toEqual(before.map(about));
  };
  const openChanges = () => firefox.click('.more-actions > summary');

  await openChanges();
  await firefox.choose('#selection-rating', '3');
  await changed('rate', `${all} rated 3 of 5 stars.`);
  expect((await photos()).map(({ rating }) => rating)).toEqual(before.map(() => 3));
  await undone();

  await openChanges();
  await changed('rotate-right', `${all} rotated.`);
  expect((await photos()).map(({ width, height }) => [height, width])).toEqual(
    before.map(({ width, height }) => [width, height]),
  );
  await undone();

  await openChanges();
  await firefox.choose('#shift-direction', 'back');
  await firefox.fill('#shift-hours', '2');
  await changed('shift', `Capture time of ${all} changed.`);
  const earlier = (takenAt: string | null) => new Date(Date.parse(present(takenAt)) - 7_200_000).toISOString();
  expect((await photos()).map(({ takenAt }) => new Date(present(takenAt)).toISOString())).toEqual(
    before.map(({ takenAt }) => earlier(takenAt)),
  );
  await undone();

  await firefox.fill('#selection-tag', 'Summer');
  await changed('tag', `${all} tagged “Summer”.`);
  await changed('untag', `“Summer” removed from ${all}.`);
  await firefox.click('.toast button');
  await waitForText(`Undone: ${all} are as before.`, '.toast');
  expect((await photos()).filter(({ tags }) => tags.some(({ name }) => name === 'Summer'))).toHaveLength(before.length);

  await changed('trash', `${all} moved to the trash.`);
  expect(await photos()).toEqual([]);
  await open('/settings/history');
  await firefox.click('tbody tr:first-child button');
  await waitForText(`Undone: ${all} are as before.`, 'tbody tr:first-child');
  expect(await photos()).toHaveLength(before.length);
});

test('selected photos are downloaded as a ZIP archive, and one is trashed, restored and trashed again', async () => {
  await openLibrary();
  await firefox.pressWithControl('a');
  await waitForText('4 photos selected', '.selection .count');
  const archive = await firefox.downloadedBy(() => firefox.click('.selection button[data-download]'));
  const originals = [...filenames, 'notocactus.jpg'].map((name) => sha256(readFileSync(fixture(name))));
  expect(await unpacked(archive)).toEqual(originals.sort());

  const trash = async () => {
    await openLibrary('?q=notocactus');
    await firefox.evaluate(`document.querySelector('.grid a').focus()`);
    await firefox.press('x', 'Delete');
    await waitForText('1 photo moved to the trash.', '.toast');
  };
  await trash();
  await open('/settings/library?view=trash');
  await firefox.evaluate(`document.querySelector('.grid a').focus()`);
  await firefox.press('x');
  await firefox.click('.selection button[value="restore"]');
  await waitForText('1 photo restored.', '.toast');
  expect(await photos()).toHaveLength(4);
  await trash();
  expect(await photos()).toHaveLength(3);
});

test('a share is created from a choice; a visitor looks at its photos, downloads them, and adds one', async () => {
  await openLibrary();
  await firefox.pressWithControl('a');
  await waitForText('3 photos selected', '.selection .count');
  await firefox.click('.selection button[value="share"]');
  await firefox.fill('#field-title', 'For Bert');
  await firefox.click('#may-download');
  await firefox.fill('#field-uploadFiles', '5');
  await firefox.press('Enter');
  await firefox.wait(`document.querySelector('#link')`);
  const link = await text('#link');
  await firefox.goto(link);
  await firefox.wait(
    `[...document.querySelectorAll('.gallery img')].filter((each) => each.naturalWidth > 0).length === 3`,
  );
  expect(await text('h1')).toBe('For Bert');
  const archive = await firefox.downloadedBy(() => firefox.follow('Download all'));
  expect(await unpacked(archive)).toEqual(filenames.map((name) => sha256(readFileSync(fixture(name)))).sort());

  await firefox.click('.gallery li:first-child a');
  await firefox.wait(`document.readyState === 'complete' && document.querySelector('.viewer a[rel="next"]')`);
  const first = await path();
  await firefox.press('ArrowRight');
  await firefox.wait(`location.pathname !== ${JSON.stringify(first)} && document.readyState === 'complete'`);
  await firefox.press('Escape');
  await firefox.wait(`document.querySelector('#files') && document.readyState === 'complete'`);
  await firefox.setFiles('#files', [fixture('orientation-landscape-1.jpg')]);
  await firefox.follow('Send');
  await waitForText('Your photos have arrived', 'h1');
  await until(async () => (await photos()).length === 4);
});

test('keys, tags, webhooks, presets and an authenticator app are created by their forms', async () => {
  await open('/settings/keys/new');
  await firefox.fill('#field-name', 'Website');
  await firefox.press('Enter');
  await firefox.wait(`document.querySelector('#token')`);
  await open('/settings/tags/new');
  await firefox.fill('#field-name', 'Sea');
  await firefox.press('Enter');
  await waitForText('The tag “Sea” was');

  await open('/settings/webhooks/new');
  await firefox.fill('#field-url', receiver.url);
  await firefox.press('Enter');
  await firefox.wait(`document.querySelector('#secret')`);
  await firefox.follow('I have stored it');
  await firefox.follow('Send a test event');
  await waitForText('HTTP 204');
  expect(receiver.received).toHaveLength(1);

  await open('/settings/delivery/keys/new');
  await firefox.fill('#field-name', 'Shop');
  await firefox.press('Enter');
  await firefox.wait(`document.querySelector('#secret')`);
  await open('/settings/delivery/presets/new');
  await firefox.fill('#field-name', 'card');
  await firefox.fill('#field-options', 'w=60,h=40,fit=cover');
  await firefox.press('Enter');
  await waitForText('The preset “card” was saved.');

  await open('/settings/account/factors');
  await firefox.follow('Add an app');
  await firefox.wait(`document.querySelector('#secret')`);
  appSecret = await text('#secret');
  await firefox.fill('#field-code', oneTimeCode(appSecret));
  await firefox.press('Enter');
  await waitForText('Recovery codes', 'h1');
});

/** Looked at closely, at every width and in both colours; the others have the same parts. */
const areas = ['library', 'map', 'imports', 'history', 'tags', 'shares', 'keys', 'webhooks', 'usage', 'account'];

test(
  'every page fits the window of a phone, a laptop and a large screen, and axe finds nothing',
  async () => {
    await firefox.beginPagesWith(AXE_AT_HAND);
    const found: string[] = [];
    const visitor = {
      open,
      links: () =>
        firefox.evaluate<string[]>(
          `[...document.querySelectorAll(${JSON.stringify(LINKS)})].map((link) => link.getAttribute('href'))`,
        ),
    };
    const look = async (path: string, width: number, options: object | null) => {
      await firefox.resize(width, 900);
      const tooWide = await firefox.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (tooWide > 0) found.push(`${path} ${width}: wider than the window by ${tooWide}`);
      if (options === null) return;
      found.push(...(await violations(options)).map((violation) => `${path} ${width}: ${violation}`));
    };
    const seen = await everyPage(visitor, await firstPages(installation, client), async (path) => {
      const isArea = areas.some((area) => kindOf(path) === `/settings/${area}`);
      if (isArea) {
        await firefox.prefer('dark');
        for (const width of [390, 2560, 1440]) await look(`${path} dark`, width, CONTRASTS);
        await firefox.prefer('light');
      }
      await look(path, 390, isArea ? {} : null);
      // A large screen has the layout of a laptop.
      if (isArea) await look(path, 2560, CONTRASTS);
      await look(path, 1440, {});
    });
    expect(found).toEqual([]);
    expect(seen).toEqual(pages);
  },
  WALK_MS,
);

test('a person who signed out signs in again with password and code, on accessible pages', async () => {
  await open('/settings/account');
  await firefox.follow('Sign out');
  await firefox.wait(`location.pathname === '/settings/sign-in' && document.readyState === 'complete'`);
  expect(await violations()).toEqual([]);
  await firefox.fill('input[name="email"]', 'anna@example.com');
  await firefox.fill('input[type="password"]', PASSWORD);
  await firefox.press('Enter');
  await waitForText('Enter a code', 'h1');
  expect(await violations()).toEqual([]);
  // The code that was used a moment ago is not accepted again, the next one is already.
  await firefox.fill('#field-code', oneTimeCode(appSecret, 30));
  await firefox.press('Enter');
  await firefox.wait(`document.querySelector('nav[aria-label="Settings"]')`);
});
