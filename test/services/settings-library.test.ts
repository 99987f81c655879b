/* @slow */
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { PhotoService } from '../../sdk/src/entry.js';
import { importFiles } from '../../sdk/src/node/entry.js';
import { Installation } from '../e2e/support/service.js';
import { present } from '../support/tenant.js';
import { until } from '../support/until.js';
import { seriousViolations } from './support/axe.js';
import { launchBrowser, tabTo, type View } from './support/browser.js';
import { differencesFrom } from './support/reference-screens.js';
import { SignedIn } from './support/signed-in.js';

/** Where pictures go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;
const COUNT = 150;

let folder: string;
let installation: Installation;
let browser: Browser;
let client: PhotoService;
let signedIn: SignedIn;

/** What the operator's tile server was asked for. */
const asked: string[] = [];
const tileServer = createServer((request, response) => {
  asked.push(String(request.url));
  response.setHeader('Content-Type', 'image/svg+xml');
  response.end(
    '<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="tan"/></svg>',
  );
});

beforeAll(async () => {
  await once(tileServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = tileServer.address() as AddressInfo;
  installation = await Installation.make({ MAP_TILES_URL: `http://127.0.0.1:${port}/{z}/{x}/{y}` });
  await installation.start();
  client = new PhotoService({ baseUrl: installation.url, token: present(installation.token()) });
  folder = await mkdtemp(join(tmpdir(), 'library-'));
  await makePictures();
  await importFiles(client, [folder, join(__dirname, '../fixtures/photos/el-torcal-rocks.jpg')]);
  browser = await launchBrowser();
  signedIn = await SignedIn.enter(browser, installation);
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
  tileServer.close();
  await rm(folder, { recursive: true, force: true });
});

/** Of all colours and shapes, one taken every third day. */
async function makePictures() {
  await Promise.all(
    Array.from({ length: COUNT }, async (_, n) => {
      const taken = new Date(Date.UTC(2023, 0, 1 + 3 * n)).toISOString().slice(0, 10).replaceAll('-', ':');
      const color = { r: (n * 37) % 256, g: (n * 91) % 256, b: (n * 53) % 256 };
      const [width, height] = [300 + ((n * 70) % 360), 400];
      await sharp({ create: { width, height, channels: 3, background: color } })
        .withExif({ IFD2: { DateTimeOriginal: `${taken} 12:00:00` } })
        .jpeg()
        .toFile(join(folder, `photo-${n}.jpg`));
    }),
  );
}

const visit = (path: string, view?: View) => signedIn.visit(path, view);

const tiles = (page: Page) => page.locator('.grid > li:not([hidden])');
/** A tile gets its content when it comes near: a click on the tile itself may begin before that, and end after it. */
const photo = (page: Page, n: number) => tiles(page).nth(n).locator('a');
const selected = (page: Page) => page.locator('.selection .count');
const scrollTop = (page: Page) => page.evaluate(() => Math.round(scrollY));

test.each([
  ['library-phone', '', 390, 'dark'],
  ['library-laptop', '', 1440, 'light'],
  ['library-wide', '', 2560, 'light'],
  ['filters', '?panel=open', 1440, 'dark'],
  ['empty', '?q=nothing', 1440, 'light'],
] as const)('the %s looks as it did', async (name, query, width, colorScheme) => {
  const { page, context } = await visit(`/settings/library${query}`, { width, height: 900, colorScheme });
  const isDrawn = (all: Element[]) =>
    (all as HTMLImageElement[]).every((each) => each.complete || each.getBoundingClientRect().top > innerHeight);
  await until(() => page.locator('img').evaluateAll(isDrawn));
  await page.locator('.list-head button:not([hidden]), .empty').first().waitFor();
  if (name !== 'empty') await page.getByRole('navigation', { name: 'Years and months' }).waitFor();
  expect(await differencesFrom(name, page)).toEqual([]);
  await context.close();
});

test('Back, a reload and an action leave the reader and the selection where they are', async () => {
  const { page, complaints, context } = await visit('/settings/library');
  for (let wanted = 60; wanted < COUNT; wanted += 60) {
    await tiles(page).last().scrollIntoViewIfNeeded();
    await until(async () => (await tiles(page).count()) > wanted);
  }
  expect(await tiles(page).count()).toBe(COUNT + 1);
  const chosen = tiles(page).nth(130);
  await chosen.scrollIntoViewIfNeeded();
  await chosen.hover();
  await chosen.locator('input').click();
  expect(await selected(page).textContent()).toBe('1 photo selected');
  // Now a click selects, and with Shift all between.
  await photo(page, 134).click({ modifiers: ['Shift'] });
  await photo(page, 132).click();
  expect(await selected(page).textContent()).toBe('4 photos selected');
  const top = await scrollTop(page);
  expect(top).toBeGreaterThan(1000);

  await page.getByLabel('Name of a tag').fill('Autumn');
  await page.keyboard.press('Enter');
  await page.locator('.toast').getByText('4 photos tagged “Autumn”.').waitFor();
  expect([await scrollTop(page), await selected(page).textContent()]).toEqual([top, '4 photos selected']);

  // Browsers round positions each time.
  const isBack = () =>
    until(async () => Math.abs((await scrollTop(page)) - top) < 5 && (await tiles(page).count()) === COUNT + 1);
  await page.reload();
  await isBack();
  expect(await selected(page).textContent()).toBe('4 photos selected');
  await page.goto(`${installation.url}/settings/tags`);
  await page.goBack();
  await isBack();
  await until(async () => (await tiles(page).nth(130).locator('input').count()) === 1);
  expect(await tiles(page).nth(130).locator('input').isChecked()).toBe(true);

  await page.getByRole('button', { name: 'Move to trash' }).click();
  await page.locator('.toast').getByText('4 photos moved to the trash.').waitFor();
  expect(await tiles(page).count()).toBe(COUNT - 3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast').getByText('Undone: 4 photos are as before.').waitFor();
  expect(await tiles(page).count()).toBe(COUNT + 1);
  expect(complaints).toEqual([]);
  await context.close();
});

test('tiles far from the window are empty, and filled when they come near', async () => {
  const { page, context } = await visit('/settings/library?size=large');
  while ((await tiles(page).count()) <= COUNT) await tiles(page).last().scrollIntoViewIfNeeded();
  const first = tiles(page).first();
  await until(async () => (await first.locator('img').count()) === 0);
  const [before, height] = [
    await first.boundingBox(),
    await page.evaluate(() => document.documentElement.scrollHeight),
  ];
  await first.scrollIntoViewIfNeeded();
  await first.locator('img').waitFor();
  expect(present(await first.boundingBox()).width).toBe(present(before).width);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
  await context.close();
});

test('by keyboard alone: moving, selecting, the list of keys, the trash and back', async () => {
  const { page, complaints, context } = await visit('/settings/library');
  const focused = () => page.evaluate(() => document.activeElement?.closest('.grid > li')?.id);
  const idAt = (n: number) => tiles(page).nth(n).getAttribute('id');
  await tiles(page).first().locator('a').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+X');
  expect(await focused()).toBe(await idAt(3));
  expect(await selected(page).textContent()).toBe('3 photos selected');
  await page.keyboard.press('ArrowDown');
  const [from, to] = [
    present(await tiles(page).nth(3).boundingBox()),
    present(await page.locator(`#${await focused()}`).boundingBox()),
  ];
  expect(to.y).toBeGreaterThan(from.y);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await selected(page).textContent()).toBe('3 photos selected');
  await page.keyboard.press('Delete');
  await page.locator('.toast').getByText('3 photos moved to the trash.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast').getByText('Undone: 3 photos are as before.').waitFor();
  await page.keyboard.press('Control+a');
  await selected(page)
    .getByText(`${COUNT + 1} photos selected`)
    .waitFor();
  // More than what is loaded.
  expect(await tiles(page).count()).toBeLessThan(COUNT);
  await page.keyboard.press('Escape');
  expect(await page.locator('.selection').isVisible()).toBe(false);
  await page.keyboard.press('/');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('filter-q');
  expect(complaints).toEqual([]);
  await context.close();
});

test('by keyboard alone: tagging, undoing, deleting in the middle, sharing, and a title in the viewer', async () => {
  const { page, complaints, context } = await visit('/settings/library', { width: 1440, height: 900 });
  const focused = (selector: string) =>
    page.evaluate((each) => document.activeElement?.closest(each)?.id ?? null, selector);
  const tile = () => focused('.grid > li');
  const tabUntil = async (isThere: () => Promise<boolean>) => {
    for (let presses = 0; presses < 60 && !(await isThere()); presses += 1) await page.keyboard.press('Tab');
    expect(await isThere()).toBe(true);
  };
  const enterGrid = () => tabUntil(async () => (await tile()) !== null);
  await enterGrid();
  for (let step = 0; step < 45; step += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+X');
  const last = await tile();
  await page.keyboard.press('t');
  await page.keyboard.type('Keyboard');
  await page.keyboard.press('Enter');
  const toast = page.locator('.toast');
  await toast.getByText('2 photos tagged “Keyboard”.').waitFor();
  await until(async () => (await focused('#selection-tag')) !== null);
  await page.keyboard.press('Escape');
  expect(await tile()).toBe(last);
  expect(await selected(page).textContent()).toBe('2 photos selected');
  await page.keyboard.press('Control+z');
  await toast.getByText('Undone: 2 photos are as before.').waitFor();

  // What follows takes the place of what has gone, and nothing moves.
  const ids = await tiles(page).evaluateAll((all) => all.map(({ id }) => id));
  const [top, next] = [await scrollTop(page), ids[ids.indexOf(present(last)) + 1]];
  expect(top).toBeGreaterThan(300);
  await page.keyboard.press('Delete');
  await toast.getByText('2 photos moved to the trash.').waitFor();
  expect(await tile()).toBe(next);
  expect(Math.abs((await scrollTop(page)) - top)).toBeLessThan(5);
  await page.keyboard.press('Control+z');
  await toast.getByText('Undone: 2 photos are as before.').waitFor();

  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('+');
  await page.locator('.viewer-stage.zoomed').waitFor();
  await page.keyboard.press('0');
  await page.keyboard.press('i');
  await page.getByLabel('Title').waitFor();
  await tabTo(page, 'Title');
  await page.keyboard.type('By keys');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Information' }).getByText('Saved.').waitFor();
  await until(async () => (await focused('#field-title')) !== null);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await tile()).toBe(next);

  // One Tab leaves the grid, whatever is still to come in it.
  await page.keyboard.press('x');
  await tabTo(page, 'Share');
  await page.keyboard.press('Enter');
  await page.getByLabel('Title').waitFor();
  await tabTo(page, 'Title');
  await page.keyboard.type('For Bert');
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('keys go on where tiles have no content yet: a photo is selected, and its link has the focus once it is there', async () => {
  const { page, complaints, context } = await visit('/settings/library?size=large');
  while ((await tiles(page).count()) <= COUNT) await tiles(page).last().scrollIntoViewIfNeeded();
  const [full, bare] = [photo(page, 59), tiles(page).nth(60)];
  await tiles(page).nth(59).scrollIntoViewIfNeeded();
  const service = new EventEmitter();
  const answers = once(service, 'answers');
  await page.route('**/settings/library/tiles?*', async (route) => {
    await answers;
    await route.continue();
  });
  // The first sixty come with the page, and those after them were there before.
  await page.reload();
  await until(async () => (await tiles(page).count()) > COUNT);
  await full.focus();
  const focused = () =>
    page.evaluate(() => [document.activeElement?.closest('li')?.id, document.activeElement?.tagName]);
  await page.keyboard.press('ArrowRight');
  const id = await bare.getAttribute('id');
  expect(await focused()).toEqual([id, 'LI']);
  await page.keyboard.press('x');
  expect(await selected(page).textContent()).toBe('1 photo selected');
  service.emit('answers');
  await until(async () => (await focused())[1] === 'A');
  expect(await focused()).toEqual([id, 'A']);
  expect(complaints).toEqual([]);
  await context.close();
});

test('filters narrow the list in place, by keyboard too; Back leads to the list before', async () => {
  const { page, complaints, context } = await visit('/settings/library', { width: 1440, height: 900 });
  await page.evaluate(() => document.body.setAttribute('data-same-page', ''));
  const isSamePage = async () => (await page.locator('body[data-same-page]').count()) === 1;
  await page.getByRole('link', { name: 'Filters' }).focus();
  await page.keyboard.press('Enter');
  const shape = page.getByLabel('Shape');
  await shape.waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'filters.png') });
  expect(await page.getByRole('link', { name: 'Filters' }).getAttribute('aria-expanded')).toBe('true');
  await shape.focus();
  await shape.selectOption({ label: 'Square (4)' });
  await page.waitForURL(/aspect=square/);
  await page.locator('.list-head').getByText('4 photos').waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('filter-aspect');
  await page.getByRole('link', { name: /^Square/ }).waitFor();
  await page.getByRole('searchbox').fill('photo-9');
  await page.keyboard.press('Enter');
  await page.locator('.list-head').getByText('1 photo').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'filters 390.png') });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: /^“photo-9”/ }).click();
  await page.locator('.list-head').getByText('4 photos').waitFor();
  expect(await isSamePage()).toBe(true);
  await photo(page, 0).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(/aspect=square/);
  // Three lists back: the page is loaded again.
  await page.evaluate(() => history.go(-3));
  await page.locator('body:not([data-same-page])').waitFor();
  expect(new URL(page.url()).searchParams.has('aspect')).toBe(false);
  await until(async () => (await tiles(page).count()) >= 60);
  expect(complaints).toEqual([]);
  await context.close();
});

test('all photos that match are rated, and their time is shifted, with a preview and an undo', async () => {
  const { page, complaints, context } = await visit('/settings/library', { width: 1440, height: 1000 });
  await tiles(page).first().locator('a').focus();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: `Select all ${COUNT + 1}` }).click();
  await selected(page)
    .getByText(`${COUNT + 1} photos selected`)
    .waitFor();
  const change = page.locator('.more-actions > summary');
  await change.focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Rating').selectOption('★★★');
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'actions 1440.png') });
  await page.keyboard.press('Escape');
  expect(await page.getByLabel('Rating').isVisible()).toBe(false);
  expect(await selected(page).textContent()).toBe(`${COUNT + 1} photos selected`);
  await change.click();
  await page.getByRole('button', { name: 'Rate', exact: true }).click();
  await page
    .locator('.toast')
    .getByText(`${COUNT + 1} photos rated 3 of 5 stars.`)
    .waitFor();

  await page.getByRole('button', { name: 'Clear' }).click();
  await tiles(page).first().locator('a').focus();
  await page.keyboard.press('x');
  await change.click();
  await page.getByLabel('Direction').selectOption('Earlier by');
  await page.getByLabel('hours').fill('2');
  await page
    .locator('[data-shift-preview]')
    .getByText(/12:00:00\sPM becomes .* 10:00:00\sAM\./)
    .waitFor();
  await page.getByRole('button', { name: 'Change time' }).click();
  await page.locator('.toast').getByText('Capture time of 1 photo changed.').waitFor();
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast').getByText('Undone: 1 photo is as before.').waitFor();

  await page.goto(`${installation.url}/settings/history`);
  const rows = page.locator('tbody tr');
  const rated = rows.filter({ hasText: 'Rate 3 of 5 stars' });
  await rated.getByRole('button').click();
  // Half of it in the background: the page follows.
  await rated.getByText(`Undone: ${COUNT + 1} photos are as before.`).waitFor();
  expect(await rated.getByRole('button').count()).toBe(0);
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'history 1440.png') });
  expect(complaints).toEqual([]);
  await context.close();
});

test('the map is moved and zoomed by keys and mouse, and its clusters lead closer and to the library', async () => {
  const places = [
    [48.8584, 2.2945],
    [48.86, 2.33],
    [52.5, 13.4],
  ] as const;
  let at = 0;
  for await (const { id } of client.photos.list({ hasLocation: false })) {
    const [latitude, longitude] = present(places[at]);
    await client.photos.update(id, { location: { latitude, longitude, altitude: null } });
    at += 1;
    if (at === places.length) break;
  }
  const { page, complaints, context } = await visit('/settings/map', { width: 1440, height: 900 });
  const map = page.locator('[data-map="view"]');
  const shown = () => page.locator('[data-map="root"]').getAttribute('data-shown');
  await until(async () => (await shown()) !== null);
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'map.png') });
  const cluster = page.locator('[data-map="clusters"] a');
  expect(await cluster.count()).toBe(1);
  const before = await shown();
  await cluster.first().click();
  await until(async () => (await shown()) !== before && (await cluster.count()) > 1);
  if (shots !== null) await page.screenshot({ path: join(shots, 'map closer.png') });
  const closer = await shown();
  await map.focus();
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  await until(async () => (await shown()) !== closer);
  // A cluster is a link among others.
  const enlarged = await shown();
  await map.focus();
  await page.keyboard.press('-');
  await until(async () => (await shown()) !== enlarged && (await cluster.count()) > 0);
  await page.keyboard.press('Tab');
  expect(await cluster.first().evaluate((element) => element === document.activeElement)).toBe(true);
  const { x, y } = present(await map.boundingBox());
  const [moved, from] = [await shown(), { x: x + 300, y: y + 300 }];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x - 100, from.y, { steps: 3 });
  await page.mouse.up();
  await until(async () => (await shown()) !== moved);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'map 390.png') });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${installation.url}/settings/map`);
  await until(async () => (await shown()) !== null);
  await page.getByText(/ as a list$/).click();
  await page
    .getByRole('link', { name: /in the library$/ })
    .last()
    .click();
  await page.waitForURL(/library\?box=/);
  await page.locator('.list-head').getByText('3 photos').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('the viewer has the photo’s address, leads to the others, enlarges to its pixels, and Escape closes it where it was opened', async () => {
  const { page, complaints, context } = await visit('/settings/library');
  await tiles(page).nth(40).scrollIntoViewIfNeeded();
  const top = await scrollTop(page);
  const href = async (n: number) => `${installation.url}${await tiles(page).nth(n).locator('a').getAttribute('href')}`;
  await photo(page, 40).click();
  await page.getByRole('dialog').waitFor();
  expect(page.url()).toBe(await href(40));
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(await href(41));
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'viewer.png') });
  await page.getByRole('button', { name: 'Information' }).click();
  const panel = page.getByRole('complementary', { name: 'Information' });
  // All of these photos are of one bright colour.
  await panel.getByRole('img', { name: 'Histogram. Shadows 0%, midtones 100%, highlights 0%' }).waitFor();
  await panel.getByLabel('Title').fill('Plain colour');
  await panel.getByRole('button', { name: 'Save', exact: true }).click();
  await panel.getByText('Saved.').waitFor();
  await panel.getByRole('heading', { level: 1, name: 'Plain colour' }).waitFor();
  if (shots !== null) await page.screenshot({ path: join(shots, 'viewer panel.png') });
  expect(page.url()).toBe(await href(41));
  expect(await seriousViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(page.url()).toBe(`${installation.url}/settings/library`);
  expect(await scrollTop(page)).toBe(top);
  // It is closed without the panel, and so it opens, however it was left.
  await photo(page, 40).click();
  expect(await page.getByRole('button', { name: 'Information', pressed: false }).isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });

  await page.goto(`${installation.url}/settings/library?q=torcal`);
  await photo(page, 0).click();
  const frame = page.locator('.viewer-stage .frame');
  const fitted = present(await frame.boundingBox()).width;
  await page.keyboard.press('+');
  expect(present(await frame.boundingBox()).width).toBeCloseTo(fitted * 1.5, 0);
  await page.getByRole('button', { name: 'Enlarge' }).click();
  await page.getByRole('button', { name: 'Enlarge' }).click();
  const width = Number(await tiles(page).first().locator('a').getAttribute('data-width'));
  expect(present(await frame.boundingBox()).width).toBeCloseTo(Math.max(width, fitted * 2), 0);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'el-torcal-rocks.jpg' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('the place of a photo is chosen on a map in the viewer, by the mouse and by keys, and taken back', async () => {
  const { page, complaints, context } = await visit('/settings/library?sort=filename', { width: 1440, height: 900 });
  const id = present(await tiles(page).nth(7).getAttribute('id')).replace('photo-', '');
  const place = async () => (await client.photos.get(Number(id))).location;
  await photo(page, 7).click();
  await page.keyboard.press('i');
  const map = page.getByRole('application', { name: /^Map/ });
  const field = page.getByLabel('Latitude and longitude');
  const shown = async () => (await field.inputValue()).split(', ').map(Number);
  // Whatever is above the map has its height.
  await page.getByRole('img', { name: /^Histogram/ }).waitFor();
  await map.scrollIntoViewIfNeeded();
  // The whole world: its middle is at 0° of longitude, and the equator is below that of the window.
  const { x, y, width, height } = present(await map.boundingBox());
  await page.mouse.click(x + width * 0.75, y + height / 2);
  await until(async () => (await field.inputValue()) !== '');
  const clicked = await shown();
  expect(present(clicked[1])).toBeCloseTo(90, -0.6);
  // Now the map is in use, and a wheel enlarges it.
  await page.mouse.wheel(0, -600);
  await map.locator('g[data-map="pin"]').hover();
  await page.mouse.down();
  await page.mouse.move(x + width * 0.75 - 60, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await shown())[1] !== clicked[1]);
  const dragged = await shown();
  expect(present(dragged[1])).toBeLessThan(present(clicked[1]) - 5);
  expect(await place()).toBeNull();
  await until(() => asked.length > 0);
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'viewer location.png') });
  await page.getByRole('button', { name: 'Save location' }).click();
  const panel = page.getByRole('complementary', { name: 'Information' });
  await panel.getByText('Location saved.').waitFor();
  expect(await place()).toEqual({ latitude: dragged[0], longitude: dragged[1], altitude: null });

  // By keys alone: what is typed moves the pin, arrows move it further, and Enter saves.
  await tabTo(page, 'Latitude and longitude');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('10, 179.9');
  await page.keyboard.press('Shift+Tab');
  while (!(await map.evaluate((element) => element === document.activeElement))) await page.keyboard.press('Shift+Tab');
  const before = page.url();
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowUp');
  const [latitude, longitude] = await shown();
  expect(present(latitude)).toBeGreaterThan(10);
  // Beyond 180° to the east is the west.
  expect(present(longitude)).toBeLessThan(-170);
  const earlier = present(await panel.getByText('Location saved.').elementHandle());
  await page.keyboard.press('Enter');
  await earlier.waitForElementState('hidden');
  await panel.getByText('Location saved.').waitFor();
  expect((await place())?.longitude).toBe(longitude);
  // The arrows led to no other photo, and the focus is where it was.
  expect(page.url()).toBe(before);
  await until(() => map.evaluate((element) => element === document.activeElement));
  await tabTo(page, 'Undo');
  await page.keyboard.press('Enter');
  await panel.getByText('Undone: 1 photo is as before.').waitFor();
  expect(await place()).toEqual({ latitude: dragged[0], longitude: dragged[1], altitude: null });
  await page.getByRole('button', { name: 'Remove location' }).click();
  await panel.getByText('Location removed.').waitFor();
  expect(await place()).toBeNull();
  expect(complaints).toEqual([]);
  await context.close();
});

test('on a phone nothing lies on the photos until a long touch selects one, and a swipe leads to the next', async () => {
  const { page, complaints, context } = await visit('/settings/library', { width: 390, height: 844, hasTouch: true });
  expect(
    await tiles(page)
      .first()
      .locator('input')
      .evaluate((box) => getComputedStyle(box).opacity),
  ).toBe('0');
  const touch = await context.newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number, y?: number) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: y ?? 0 }] });
  await tiles(page).nth(4).scrollIntoViewIfNeeded();
  const { x, y } = present(await tiles(page).nth(4).boundingBox());
  await send('touchStart', x + 20, y + 20);
  await page.getByText('1 photo selected').waitFor();
  await send('touchEnd');
  await photo(page, 5).tap();
  expect(await selected(page).textContent()).toBe('2 photos selected');
  expect(
    await tiles(page)
      .first()
      .locator('input')
      .evaluate((box) => getComputedStyle(box).opacity),
  ).toBe('1');
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear' }).tap();
  await photo(page, 4).tap();
  await page.getByRole('dialog').waitFor();
  const next = `${installation.url}${await tiles(page).nth(5).locator('a').getAttribute('href')}`;
  await send('touchStart', 300, 400);
  await send('touchMove', 200, 400);
  await send('touchEnd');
  await page.waitForURL(next);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a month that is not loaded yet is one click away, in the same list, and the reader sees in which one they are', async () => {
  const { page, complaints, context } = await visit('/settings/library');
  const months = page.getByRole('navigation', { name: 'Years and months' });
  await months.waitFor();
  // Its months are those of the year in the window.
  await months.getByRole('link', { name: '2023' }).focus();
  await months.getByRole('link', { name: /^Feb 9/ }).press('Enter');
  const title = page.getByRole('heading', { name: 'February 2023' });
  await title.waitFor();
  const top = () => title.evaluate((heading) => Math.abs(heading.getBoundingClientRect().top));
  await until(async () => (await top()) < 40);
  expect(new URL(page.url()).search).toBe('');
  expect(await tiles(page).count()).toBe(COUNT + 1);
  await months.locator('a[aria-current]', { hasText: 'Feb' }).waitFor();
  const first = page.getByRole('region', { name: 'February 2023' }).locator('li').first();
  await first.locator('img').waitFor();
  // Back up, nothing was left out.
  await months.getByRole('link', { name: /^2024/ }).click();
  await until(async () => (await scrollTop(page)) < 600);
  await tiles(page).nth(20).locator('img').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a time zone is found among their present names, and the browser’s own is one click away', async () => {
  const { page, complaints, context } = await visit('/settings/library', {
    timezoneId: 'Asia/Calcutta',
    locale: 'de-DE',
  });
  await photo(page, 3).click();
  await page.keyboard.press('i');
  const field = page.getByLabel('Time zone', { exact: true }).last();
  await page.getByRole('button', { name: 'Use Asia/Kolkata' }).click();
  expect(await field.inputValue()).toBe('Asia/Kolkata');
  const names = await page.locator('.viewer datalist[data-time-zones] option').evaluateAll((all) => {
    return all.map((option) => (option as HTMLOptionElement).value);
  });
  expect(names.slice(0, 2)).toEqual(['Asia/Kolkata', 'UTC']);
  expect(names).toEqual(expect.arrayContaining(['Europe/Kyiv', 'America/Nuuk']));
  expect(names.filter((name) => /Calcutta|Kiev|Godthab/.test(name))).toEqual([]);
  // The reader's own way to write dates: those of the server, and those of the script.
  const facts = page.locator('.viewer .photo-facts');
  await facts.getByText(/\d{1,2}\. \p{L}+ 202\d um \d\d:\d\d/u).waitFor();
  expect(await facts.locator('time').first().textContent()).toMatch(/^\d\d\.\d\d\.20\d\d, \d\d:\d\d$/);
  expect(complaints).toEqual([]);
  await context.close();
});

test.each([
  [390, 'light'],
  [390, 'dark'],
  [1440, 'light'],
  [2560, 'dark'],
] as const)(
  'at %i pixels, %s, the grid fills the window, and no picture is stretched by more than a quarter',
  async (width, colorScheme) => {
    const { page, complaints, context } = await visit('/settings/library?size=medium', {
      width,
      height: 1000,
      colorScheme,
    });
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    const grid = present(await page.locator('.grid').first().boundingBox());
    // Beside it there are the years.
    expect(grid.width).toBeGreaterThan(width - 160);
    const stretched = () =>
      tiles(page).evaluateAll((all) =>
        all.flatMap((tile) => {
          const image = tile.querySelector('img');
          if (image === null || !image.complete || image.naturalWidth === 0) return [];
          const shown = Math.max(tile.clientWidth, (tile.clientHeight * image.width) / image.height);
          // What the photo itself does not have cannot be displayed.
          const own = Number(tile.querySelector('a')?.dataset.width);
          return shown / Math.min(image.naturalWidth, own) > 1.26 && image.naturalWidth < own
            ? [[tile.id, shown, image.naturalWidth]]
            : [];
        }),
      );
    await until(() =>
      tiles(page)
        .first()
        .locator('img')
        .evaluate((image) => (image as HTMLImageElement).complete),
    );
    expect(await stretched()).toEqual([]);
    if (shots !== null) await page.screenshot({ path: join(shots, `library ${width} ${colorScheme}.png`) });
    expect(complaints).toEqual([]);
    await context.close();
  },
);
