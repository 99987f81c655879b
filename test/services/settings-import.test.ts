/* @slow */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Installation } from '../e2e/support/service.js';
import { withChunk } from '../support/png.js';
import { seriousViolations } from './support/axe.js';
import { type BrowserSession, launchBrowser, session } from './support/browser.js';
import { SignedIn } from './support/signed-in.js';

const fixtures = join(__dirname, '../fixtures/photos');
const at = (name: string) => join(fixtures, name);
const good = ['cyclamen.jpg', 'notocactus.jpg', 'el-torcal-rocks.jpg', 'silver-fir.jpg', 'iphone7-gps.heic'];
const more = ['webp-orientation-6.webp', 'png-alpha.png', 'hopper.gif', 'tiff-16bit.tiff', 'avif-irot.avif'];
const bad = ['made-text-renamed.jpg', 'made-declares-60000x60000.jpg'];

/** Where pictures go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;

let installation: Installation;
let browser: Browser;
let signedIn: SignedIn;
const folder = mkdtempSync(join(tmpdir(), 'phs-browser-'));

beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  browser = await launchBrowser();
  signedIn = await SignedIn.enter(browser, installation);
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function visit(path: string, view: Parameters<typeof session>[1] = {}): Promise<BrowserSession> {
  const opened = await signedIn.open(view);
  opened.context.setDefaultTimeout(60_000);
  opened.page.on('dialog', (dialog) => void dialog.accept());
  await opened.page.goto(`${installation.url}${path}`);
  return opened;
}
const summary = (page: Page) => page.locator('[data-run="summary"]').textContent();
const ended = (page: Page) => page.locator('[data-run="details"]').waitFor();

test('ten photos that are dropped on the empty library come in and are seen there, and three bad files are reported', async () => {
  const { page, complaints, context } = await visit('/settings/library');
  expect(await page.getByText('Your library is empty. Drop photos here').isVisible()).toBe(true);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  if (shots !== null) await page.screenshot({ path: join(shots, 'first-steps.png'), fullPage: true });
  await page.locator('#import-tags').fill('First day');
  const empty = join(folder, 'empty.jpg');
  writeFileSync(empty, '');
  await page.locator('#import-files').setInputFiles([...[...good, ...more, ...bad].map(at), empty]);
  await ended(page);
  expect(await summary(page)).toContain('10 photos imported.');
  const report = page.locator('[data-run="report"] li');
  expect((await report.allTextContents()).sort()).toEqual([
    'empty.jpg The file is empty.',
    expect.stringMatching(
      /^made-declares-60000x60000\.jpg The image has 60000 × 60000 pixels; the maximum is 210000000 /,
    ),
    expect.stringMatching(/^made-text-renamed\.jpg This is not an image\.$/),
  ]);
  expect(await page.locator('.run-arrived li').count()).toBe(10);
  await page.locator('.grid li').nth(9).waitFor();
  expect(await page.getByText('Your library is empty').count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0);
  await page.getByRole('searchbox', { name: 'Search' }).waitFor();
  await page.locator('.grid input').first().check();
  await page.getByText('1 photo selected').waitFor();
  await page.locator('.grid input').first().uncheck();
  // What was said of these photos is not said of the next.
  expect(await page.locator('#import-tags').inputValue()).toBe('');
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'imported.png'), fullPage: true });
  const about = page.getByRole('link', { name: 'About this import' });
  const first = (await about.getAttribute('href')) ?? '';
  await page.getByRole('button', { name: 'Try these again' }).click();
  await page.waitForFunction((path) => document.querySelector(`[data-run="details"][href="${path}"]`) === null, first);
  await ended(page);
  expect(await summary(page)).toBe('0 photos imported.');
  expect(await report.count()).toBe(3);
  await page.goto(`${installation.url}${first}`);
  await page.getByRole('row', { name: /empty\.jpg The file is empty\./ }).waitFor();
  await page.getByRole('link', { name: 'Show the photos' }).click();
  await page.waitForURL('**/settings/library?import=*');
  expect(await page.locator('.grid img').count()).toBe(10);
  await page.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0));
  expect(await seriousViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('files that are in the library are not sent again, and a folder is dropped with all its files', async () => {
  const { page, complaints, context } = await visit('/settings/import');
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()));
  const files = [...good.slice(0, 3), 'orientation-portrait-6.jpg'].map((name) => ({
    name,
    base64: readFileSync(at(name)).toString('base64'),
  }));
  // A drop as the browser makes it, with a folder in it and the file that a system leaves there.
  await page.evaluate((dropped) => {
    const file = ({ name, base64 }: { name: string; base64: string }) =>
      new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], name);
    const entry = (each: File, path: string) => ({
      isFile: true,
      name: each.name,
      fullPath: `/trip/${path}`,
      file: (give: (f: File) => void) => give(each),
    });
    const inside = [
      ...dropped.map((each) => entry(file(each), `day/${each.name}`)),
      entry(new File(['x'], '.DS_Store'), '.DS_Store'),
      { isFile: false, name: '@eaDir', fullPath: '/trip/@eaDir' },
    ];
    const portions = [inside.slice(0, 2), inside.slice(2), []];
    const reader = { readEntries: (give: (entries: unknown[]) => void) => give(portions.shift() ?? []) };
    const trip = { isFile: false, name: 'trip', fullPath: '/trip', createReader: () => reader };
    const event = new Event('drop', { cancelable: true });
    const dataTransfer = { types: ['Files'], files: [], items: [{ webkitGetAsEntry: () => trip }] };
    dispatchEvent(Object.assign(event, { dataTransfer }));
  }, files);
  await ended(page);
  expect(await summary(page)).toBe(
    '1 photo imported. 3 photos were already in your library. 2 hidden or system files and folders were left out.',
  );
  expect(sent).toHaveLength(1);
  await page.evaluate(() => {
    const trash = { isFile: false, name: '#recycle', fullPath: '/#recycle' };
    const dataTransfer = { types: ['Files'], files: [], items: [{ webkitGetAsEntry: () => trash }] };
    dispatchEvent(Object.assign(new Event('drop', { cancelable: true }), { dataTransfer }));
  });
  await page.getByText('Nothing to import').waitFor();
  expect(await summary(page)).toBe('1 hidden or system file or folder was left out.');
  expect(complaints).toEqual([]);
  await context.close();
});

test('unreadable files of a drop are reported, and the others are imported', async () => {
  const { page, complaints, context } = await visit('/settings/import');
  await page.evaluate(
    (base64) => {
      const photo = new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], 'here.jpg');
      const refuse = (_: unknown, fail: (error: Error) => void) => fail(new DOMException('', 'NotReadableError'));
      const gone = { isFile: true, name: 'gone.jpg', fullPath: '/trip/gone.jpg', file: refuse };
      const locked = {
        isFile: false,
        name: 'locked',
        fullPath: '/trip/locked',
        createReader: () => ({ readEntries: refuse }),
      };
      const give = (take: (file: File) => void) => take(photo);
      const here = { isFile: true, name: 'here.jpg', fullPath: '/trip/here.jpg', file: give };
      const portions = [[gone, locked, here], []];
      const reader = { readEntries: (give: (entries: unknown[]) => void) => give(portions.shift() ?? []) };
      const trip = { isFile: false, name: 'trip', fullPath: '/trip', createReader: () => reader };
      const dataTransfer = { types: ['Files'], files: [], items: [{ webkitGetAsEntry: () => trip }] };
      dispatchEvent(Object.assign(new Event('drop', { cancelable: true }), { dataTransfer }));
    },
    readFileSync(at('cyclamen.jpg')).toString('base64'),
  );
  await ended(page);
  expect(await page.locator('[data-run="report"] li').allTextContents()).toEqual([
    'trip/gone.jpg This file cannot be read.',
    'trip/locked This folder cannot be read.',
  ]);
  expect(await summary(page)).toContain('1 photo');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a reload in the middle goes on: nothing that has arrived is sent twice', async () => {
  const names = ['orientation-landscape-1.jpg', 'orientation-landscape-2.jpg', 'orientation-landscape-3.jpg'];
  const { page, context } = await visit('/settings/import');
  const taken: string[] = [];
  let stuck = true;
  const hashOf = (bytes: Buffer | null) =>
    createHash('sha256')
      .update(bytes ?? '')
      .digest('hex');
  await context.route('**/uploads/*', async (route) => {
    // The first file arrives, the others get stuck.
    if (stuck && taken.length > 0) return;
    taken.push(hashOf(route.request().postDataBuffer()));
    await route.continue();
  });
  await page.locator('#import-files').setInputFiles(names.map(at));
  await page.locator('.run-arrived li').waitFor();
  expect(page.url()).toMatch(/\/settings\/import\?import=[0-9]+$/);
  stuck = false;
  await page.reload();
  await page.getByRole('heading', { name: /^Continue import/ }).waitFor();
  await page.locator('#import-files').setInputFiles(names.map(at));
  await ended(page);
  expect(await summary(page)).toBe('3 photos imported.');
  expect(taken.sort()).toEqual(names.map((name) => hashOf(readFileSync(at(name)))).sort());
  await context.close();
});

test('the importer pauses, keeps failed files, and continues', async () => {
  const { page, context } = await visit('/settings/import');
  let broken = true;
  await context.route('**/uploads/*', (route) => (broken ? route.abort() : route.continue()));
  await page.locator('#import-files').setInputFiles([at('orientation-landscape-4.jpg')]);
  await page.locator('.run-files [data-state="sending"]').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('heading', { name: 'Paused' }).waitFor();
  // It scrolls when it is long.
  await page.getByRole('button', { name: 'Continue' }).focus();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Files');
  expect(await seriousViolations(page)).toEqual([]);
  broken = false;
  await page.getByRole('button', { name: 'Continue' }).click();
  await ended(page);
  expect(await summary(page)).toBe('1 photo imported.');
  await page.getByRole('link', { name: 'About this import' }).click();
  await page.getByText('1 imported').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await context.close();
});

test('a file whose sending breaks off gets another address, and is sent once more', async () => {
  const { page, context } = await visit('/settings/import');
  let sent = 0;
  await context.route('**/uploads/*', (route) => {
    sent += 1;
    return sent === 1 ? route.abort() : route.continue();
  });
  await page.locator('#import-files').setInputFiles(at('rating-xmp.jpg'));
  await ended(page);
  expect(await summary(page)).toContain('1 photo imported.');
  expect(sent).toBe(2);
  await context.close();
});

test('each selection has its own tags, and while the service does not answer it says when it tries again', async () => {
  const { page, complaints, context } = await visit('/settings/import');
  let isSilent = true;
  await context.route('**/settings/import/*/photos', (route) => (isSilent ? route.abort() : route.continue()));
  await page.locator('#import-tags').fill('Morning, Sea');
  await page.locator('#import-files').setInputFiles([at('orientation-landscape-6.jpg')]);
  await page.locator('#import-tags').fill('Evening');
  await page.locator('#import-files').setInputFiles([at('orientation-landscape-7.jpg')]);
  await page.getByText(/^The service does not answer\. Next try in [1-5] s\.$/).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'import-waits.png'), fullPage: true });
  isSilent = false;
  await page.getByRole('button', { name: 'Try now' }).click();
  await ended(page);
  expect(await summary(page)).toBe('2 photos imported.');
  expect(await page.locator('.run-arrived canvas').count()).toBe(2);
  if (shots !== null) await page.screenshot({ path: join(shots, 'import-arrived.png'), fullPage: true });
  for (const tag of ['Morning', 'Sea', 'Evening']) {
    await page.goto(`${installation.url}/settings/library?tag=${tag}`);
    expect(await page.locator('.grid li').count()).toBe(1);
  }
  expect(complaints.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
  await context.close();
});

test('photos are tagged, looked at, trashed and restored by the keyboard, and the original is the same file', async () => {
  const { page, complaints, context } = await visit('/settings/library?q=cyclamen');
  await page.locator('.grid a').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('i');
  const panel = page.getByRole('complementary', { name: 'Information' });
  await panel.getByRole('heading', { level: 1, name: 'cyclamen.jpg' }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await panel.getByLabel('Name of a tag').fill('flowers');
  await page.keyboard.press('Enter');
  await page.getByText('Tag added.').waitFor();
  await page.getByRole('button', { name: 'Remove tag First day' }).click();
  await page.getByText('Tag removed.').waitFor();
  expect(await page.locator('.tags a').allTextContents()).toEqual(['flowers']);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download original' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('cyclamen.jpg');
  const file = join(folder, 'again.jpg');
  await download.saveAs(file);
  expect(readFileSync(file).equals(readFileSync(at('cyclamen.jpg')))).toBe(true);
  await page.getByRole('button', { name: 'Move to trash' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await page.locator('.grid > li:visible').count()).toBe(0);
  await page.goto(`${installation.url}/settings/library?view=trash`);
  await page.locator('.grid input').focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.locator('.toast').getByText('1 photo restored.').waitFor();
  await page.goto(`${installation.url}/settings/library?tag=Flowers`);
  expect(await page.locator('.grid li').count()).toBe(1);
  expect(complaints).toEqual([]);
  await context.close();
});

test('scrolling loads the next pages by the same cursors, and each photo once', async () => {
  const { page, complaints, context } = await visit('/settings/import');
  const plot = readFileSync(at('png-plot.png'));
  const many = Array.from({ length: 55 }, (_, n) => {
    const buffer = withChunk(plot, 'tEXt', Buffer.from(`Comment\0number ${n}`));
    return { name: `plot-${n}.png`, mimeType: 'image/png', buffer };
  });
  await page.locator('#import-files').setInputFiles(many);
  await ended(page);
  expect(await summary(page)).toBe('55 photos imported.');
  await page.goto(`${installation.url}/settings/library`);
  await page.locator('.grid li').last().scrollIntoViewIfNeeded();
  await page.locator('.grid > li').nth(60).waitFor({ state: 'attached' });
  await page.locator('.library .more:empty').waitFor({ state: 'attached' });
  const shown = await page.locator('.grid > li').evaluateAll((all) => all.map(({ id }) => id));
  expect(shown.length).toBeGreaterThan(65);
  expect(new Set(shown).size).toBe(shown.length);
  expect(complaints).toEqual([]);
  await context.close();
  const plain = await visit('/settings/library', { javaScriptEnabled: false });
  expect(await plain.page.locator('.grid li').count()).toBe(60);
  await plain.page.locator('a[rel="next"]').click();
  expect(await plain.page.locator('.grid li').count()).toBe(shown.length - 60);
  await plain.context.close();
});

test('the library is complete on a phone in the dark, and without scripts', async () => {
  const phone = await visit('/settings/library', { width: 390, height: 844, colorScheme: 'dark' });
  expect(await seriousViolations(phone.page)).toEqual([]);
  const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(390);
  await phone.context.close();
  const plain = await visit('/settings/import', { javaScriptEnabled: false });
  await plain.page.locator('#import-files').setInputFiles([at('orientation-landscape-5.jpg'), at('rating-xmp.jpg')]);
  await plain.page.getByRole('button', { name: 'Import' }).click();
  await plain.page.waitForURL(/\/settings\/imports\/[0-9]+$/);
  expect(await plain.page.locator('h1').textContent()).toMatch(/^Import [0-9]+$/);
  await plain.context.close();
});
