import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { PhotoService } from '../../sdk/src/entry.js';
import { importFiles } from '../../sdk/src/node/entry.js';
import { Installation } from '../e2e/support/service.js';
import { present } from '../support/tenant.js';
import { until } from '../support/until.js';
import { seriousViolations } from './support/axe.js';
import { launchBrowser, session, type View } from './support/browser.js';
import { recordShift } from './support/layout-shift.js';
import { SignedIn } from './support/signed-in.js';

const at = (name: string) => join(__dirname, '../fixtures/photos', name);

/** Where pictures go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;

let installation: Installation;
let browser: Browser;
let client: PhotoService;
let signedIn: SignedIn;
/** One that is wider than tall, and one that is taller than wide. */
let ids: readonly number[];

beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  client = new PhotoService({ baseUrl: installation.url, token: present(installation.token()) });
  await importFiles(client, [at('el-torcal-rocks.jpg'), at('orientation-portrait-6.jpg')]);
  const photos = [];
  for await (const photo of client.photos.list()) photos.push(photo);
  ids = photos.sort((a, b) => b.width / b.height - a.width / a.height).map(({ id }) => id);
  browser = await launchBrowser();
  signedIn = await SignedIn.enter(browser, installation);
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
});

const visit = (path: string, view?: View) => signedIn.visit(path, view);

const choose = (page: Page) => page.getByRole('button', { name: 'Choose on the photo' });

test.each([
  ['a wide photo', 0, 1280],
  ['a wide photo on a phone', 0, 390],
  ['a tall photo', 1, 1280],
  ['a tall photo on a phone', 1, 390],
])('the focus of %s is where it was clicked', async (name, which, width) => {
  const id = present(ids[which]);
  const path = `/settings/photos/${id}`;
  const { page, complaints, context } = await visit(path, { width });
  const picture = page.locator('.photo figure img');
  await choose(page).click();
  expect(await choose(page).getAttribute('aria-pressed')).toBe('true');
  const box = present(await picture.boundingBox());
  await picture.click({ position: { x: box.width * 0.3, y: box.height * 0.8 } });
  await page.getByText('Focus saved.').waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
  const { focus } = await client.photos.get(id);
  expect(focus?.x).toBeCloseTo(0.3, 1.9);
  expect(focus?.y).toBeCloseTo(0.8, 1.9);

  const shown = present(await picture.boundingBox());
  const ring = present(await page.locator('.focus-marker .ring').boundingBox());
  expect(Math.abs(ring.x + ring.width / 2 - shown.x - shown.width * 0.3)).toBeLessThan(2);
  expect(Math.abs(ring.y + ring.height / 2 - shown.y - shown.height * 0.8)).toBeLessThan(2);
  expect(await seriousViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, `focus ${name}.png`), fullPage: true });
  await context.close();
});

test('Escape cancels: the photo leads to its larger rendition again', async () => {
  const id = present(ids[0]);
  const { page, context } = await visit(`/settings/photos/${id}`);
  const before = await client.photos.get(id);
  await choose(page).click();
  await page.keyboard.press('Escape');
  expect(await choose(page).getAttribute('aria-pressed')).toBe('false');
  await page.locator('.photo figure img').click();
  await page.waitForURL('**/renditions/**');
  expect(await client.photos.get(id)).toEqual(before);
  await context.close();
});

test('the focus is two numbers without scripts, and can be removed', async () => {
  const id = present(ids[1]);
  const { page, context } = await visit(`/settings/photos/${id}`, { javaScriptEnabled: false });
  expect(await choose(page).isVisible()).toBe(false);
  await page.getByLabel('From left (%)').fill('12.5');
  await page.getByLabel('From top (%)').fill('100');
  await page.getByRole('button', { name: 'Save focus' }).click();
  await page.getByText('Focus saved.').waitFor();
  expect((await client.photos.get(id)).focus).toEqual({ x: 0.125, y: 1 });
  await page.getByRole('button', { name: 'Remove focus' }).click();
  await page.getByText('Focus removed.').waitFor();
  expect((await client.photos.get(id)).focus).toBeNull();
  expect(await page.locator('.focus-marker').count()).toBe(0);
  await context.close();
});

/** The viewer with the first of the photos, as somebody opens it in the library. */
async function openViewer(view: Parameters<typeof session>[1] = {}) {
  const opened = await visit('/settings/library?sort=filename', { width: 700, height: 500, ...view });
  const { page } = opened;
  await page.locator('.list-head button:not([hidden])').first().waitFor();
  await page.locator('.grid > li a').first().click();
  await page.getByRole('dialog').waitFor();
  await page.locator('.viewer-stage img.sharp').waitFor();
  return { ...opened, stage: page.locator('.viewer-stage'), frame: page.locator('.viewer-stage .frame') };
}
const boxOf = async (locator: Locator) => present(await locator.boundingBox());

test('the viewer fills the screen by its button or a key, with all that it has, and leaves it again', async () => {
  const { page, complaints, context } = await openViewer();
  const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
  await page.getByRole('button', { name: 'Full screen' }).click();
  await until(isFull);
  await page.getByRole('button', { name: 'Information' }).click();
  await page.getByRole('complementary', { name: 'Information' }).getByLabel('Title').waitFor();
  expect(await page.evaluate(() => document.fullscreenElement?.contains(document.querySelector('.viewer-panel')))).toBe(
    true,
  );
  await page.getByRole('button', { name: 'Information' }).click();
  await page.keyboard.press('f');
  await until(async () => !(await isFull()));
  await page.keyboard.press('f');
  await until(isFull);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await until(async () => !(await isFull()));
  expect(complaints).toEqual([]);
  await context.close();
});

test('a wheel and a double click enlarge around the pointer, and what is enlarged is dragged', async () => {
  const { page, stage, frame, context } = await openViewer();
  const area = await boxOf(stage);
  const fitted = await boxOf(frame);
  const pointer = { x: fitted.x + fitted.width * 0.25, y: area.y + area.height / 2 };
  const relative = ({ x, width }: { x: number; width: number }) => (pointer.x - x) / width;
  await page.mouse.move(pointer.x, pointer.y);
  await page.mouse.wheel(0, -300);
  await until(async () => (await boxOf(frame)).width > fitted.width * 1.5);
  expect(relative(await boxOf(frame))).toBeCloseTo(0.25, 1);
  const before = await boxOf(frame);
  await page.mouse.down();
  await page.mouse.move(pointer.x - 20, pointer.y, { steps: 2 });
  await page.mouse.up();
  expect((await boxOf(frame)).x).toBeCloseTo(before.x - 20, 0);
  await page.mouse.dblclick(pointer.x, pointer.y);
  await until(async () => (await boxOf(frame)).width === fitted.width);
  await page.mouse.dblclick(pointer.x, pointer.y);
  await stage.and(page.locator('.zoomed')).waitFor();
  expect(relative(await boxOf(frame))).toBeCloseTo(0.25, 1);
  await context.close();
});

test('two fingers enlarge and make smaller, one moves what is enlarged, and one from top to bottom closes', async () => {
  const { page, stage, frame, context } = await openViewer({ width: 390, height: 844, hasTouch: true });
  const fitted = await boxOf(frame);
  const touch = await context.newCDPSession(page);
  const fingers = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints });
  await fingers('touchStart', { x: 150, y: 400 }, { x: 240, y: 400 });
  await fingers('touchMove', { x: 120, y: 400 }, { x: 270, y: 400 });
  await fingers('touchEnd');
  await stage.and(page.locator('.zoomed')).waitFor();
  const enlarged = await boxOf(frame);
  expect(enlarged.width).toBeGreaterThan(fitted.width * 1.3);
  const address = page.url();
  await fingers('touchStart', { x: 200, y: 400 });
  await fingers('touchMove', { x: 170, y: 400 });
  await fingers('touchEnd');
  await until(async () => (await boxOf(frame)).x < enlarged.x - 10);
  expect(page.url()).toBe(address);
  await fingers('touchStart', { x: 100, y: 400 }, { x: 290, y: 400 });
  await fingers('touchMove', { x: 170, y: 400 }, { x: 220, y: 400 });
  await fingers('touchEnd');
  await until(async () => (await boxOf(frame)).width === fitted.width);
  await fingers('touchStart', { x: 200, y: 300 });
  await fingers('touchMove', { x: 200, y: 500 });
  await fingers('touchEnd');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await context.close();
});

test('the next photo is fetched before it is asked for, in the size in which it will be displayed', async () => {
  const { page, stage, context } = await openViewer();
  const fetched = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const second = page.locator('.grid > li img').nth(1);
  const larger = await second.evaluate((image) => {
    const sources = (image as HTMLImageElement).srcset.split(', ').map((each) => each.split(' ')[0]);
    return sources.filter((source) => source !== (image as HTMLImageElement).currentSrc);
  });
  await until(async () => (await fetched()).some((name) => larger.includes(name)));
  const count = (await fetched()).length;
  await page.keyboard.press('ArrowRight');
  await until(() => stage.locator('img.sharp').evaluate((image) => (image as HTMLImageElement).complete));
  const current = await stage.locator('img.sharp').evaluate((image) => (image as HTMLImageElement).currentSrc);
  expect(larger).toContain(current);
  expect((await fetched()).slice(count).filter((name) => /rendition/.test(name))).toEqual([]);
  await context.close();
});

test('until a picture has arrived its blurred preview stands in its place, and nothing moves when it comes', async () => {
  const opened = await signedIn.open();
  const { page, context } = opened;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/renditions/**', async (route) => {
    await released;
    await route.continue();
  });
  await recordShift(page);
  await page.goto(`${installation.url}/settings/library`, { waitUntil: 'commit' });
  const previews = page.locator('.grid canvas.tint');
  await until(async () => (await previews.count()) === ids.length);
  const colours = await previews.evaluateAll((all) =>
    all.map((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const { data = [] } = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height) ?? {};
      return new Set(data).size;
    }),
  );
  expect(Math.min(...colours)).toBeGreaterThan(10);
  release();
  await until(async () => (await previews.count()) === 0);
  const isDrawn = (all: Element[]) => (all as HTMLImageElement[]).every(({ naturalWidth }) => naturalWidth > 0);
  expect(await page.locator('.grid img').evaluateAll(isDrawn)).toBe(true);
  expect(await page.evaluate('shift')).toBe(0);
  await context.close();
});
