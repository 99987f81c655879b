import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { PhotoService } from '../../sdk/src/entry.js';
import { importFiles } from '../../sdk/src/node/entry.js';
import { Installation } from '../e2e/support/service.js';
import { present } from '../support/tenant.js';
import { seriousViolations } from './support/axe.js';
import { type BrowserSession, launchBrowser, session, welcome } from './support/browser.js';

const at = (name: string) => join(__dirname, '../fixtures/photos', name);

/** Where pictures go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;

let installation: Installation;
let browser: Browser;
let client: PhotoService;
let signedIn: Awaited<ReturnType<BrowserSession['context']['storageState']>>;
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
  const { page, context } = await session(browser);
  await page.goto(present(installation.link()));
  await welcome(page, 'anna@example.com');
  await page.waitForURL('**/settings/library');
  signedIn = await context.storageState();
  await context.close();
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
});

async function visit(path: string, view: Parameters<typeof session>[1] = {}): Promise<BrowserSession> {
  const opened = await session(browser, view);
  await opened.context.addCookies(signedIn.cookies);
  await opened.page.goto(`${installation.url}${path}`);
  return opened;
}

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

test('without scripts it is two numbers, and it is removed', async () => {
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
