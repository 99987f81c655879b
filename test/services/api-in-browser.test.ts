import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Installation } from '../e2e/support/service.js';
import { deliveryVectors, vectorKey } from '../support/delivery-vectors.js';
import { seriousViolations } from './support/axe.js';
import { launchBrowser, session } from './support/browser.js';

const root = join(__dirname, '../..');

let installation: Installation;
let browser: Browser;

beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
});

test('the page reads the whole document out, takes a key, and shows a true answer, with nothing from elsewhere', async () => {
  const { page, complaints, context } = await session(browser);
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  await page.goto(`${installation.url}/docs`);
  await page.locator('.opblock').first().waitFor();
  const { paths, webhooks } = await (await fetch(`${installation.url}/openapi.json`)).json();
  const operations = [paths, webhooks].flatMap((part) =>
    Object.values(part).flatMap((path) => Object.keys(path as object)),
  );
  expect(await page.locator('.opblock').count()).toBe(operations.length);

  await page.getByRole('button', { name: 'Authorize' }).click();
  const dialog = page.locator('.dialog-ux');
  await dialog.getByRole('textbox').fill(installation.token() ?? '');
  await dialog.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  const me = page.locator('#operations-Account-getMe');
  await me.locator('.opblock-summary-control').click();
  await me.getByRole('button', { name: 'Try it out' }).click();
  await me.getByRole('button', { name: 'Execute' }).click();
  const answer = me.locator('.live-responses-table .response');
  await answer.waitFor();
  expect(await answer.locator('.response-col_status').innerText()).toContain('200');
  expect(await answer.innerText()).toContain('First customer');

  expect(complaints).toEqual([]);
  expect([...asked]).toEqual([installation.url]);
  await context.close();
});

test('guides are a click away, and need no JavaScript', async () => {
  const { page, complaints, context } = await session(browser, { javaScriptEnabled: false, width: 390 });
  await page.goto(`${installation.url}/docs`);
  await page.getByRole('link', { name: 'Errors and retries' }).click();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Errors and retries');
  await page.getByRole('link', { name: 'Quick start' }).click();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Quick start');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a search leads to operations, errors and sections of guides, by keyboard alone', async () => {
  const { page, complaints, context } = await session(browser);
  await page.goto(`${installation.url}/docs/guides/quick-start`);
  await page.keyboard.press('/');
  await page.keyboard.type('verifying signat');
  await page.locator('#results a').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/guides/webhooks#verifying-the-signature');
  await page.getByRole('searchbox', { name: 'Search' }).fill('rate_limited');
  await page.getByRole('link', { name: 'rate_limited' }).first().click();
  await page.waitForURL('**/docs/errors/rate_limited');
  await page.goto(`${installation.url}/docs`);
  await page.getByRole('searchbox', { name: 'Search' }).fill('Retrieve a photo');
  await page.locator('#results').getByRole('link', { name: 'Retrieve a photo', exact: true }).click();
  await page.locator('#operations-Photos-getPhoto.is-open').waitFor();
  await page.getByRole('searchbox', { name: 'Search' }).fill('zzyzx');
  await page.getByText('0 found', { exact: true }).waitFor({ state: 'attached' });
  expect(complaints).toEqual([]);
  await context.close();
});

test.each([
  [390, 'light'],
  [1440, 'dark'],
] as const)(
  'at a width of %i, %s, everybody can read it, and nothing is wider than the page',
  async (width, colorScheme) => {
    const { page, complaints, context } = await session(browser, { width, colorScheme });
    for (const path of ['guides', 'guides/webhooks', 'guides/operations', 'errors', 'errors/not_found']) {
      await page.goto(`${installation.url}/docs/${path}`);
      await page.locator('search:not([hidden])').waitFor();
      expect([path, await seriousViolations(page)]).toEqual([path, []]);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  },
);

/** A page of the service's own origin beside the library as it is built for pages without a bundler: one file. */
async function pageWithLibrary(page: Page): Promise<void> {
  const library = readFileSync(join(root, 'sdk/dist/web.js'));
  await page.route(`${installation.url}/page/**`, async (route) => {
    const isLibrary = route.request().url().endsWith('/web.js');
    const contentType = isLibrary ? 'text/javascript' : 'text/html';
    await route.fulfill({ contentType, body: isLibrary ? library : '<!doctype html>' });
  });
  await page.goto(`${installation.url}/page/`);
}

test('the library imports what a person chose, and reads it again', async () => {
  const { page, complaints, context } = await session(browser);
  await pageWithLibrary(page);
  const photo = readFileSync(join(root, 'examples/photos/rocks.jpg'));
  // As text: jest would turn the import into a require.
  const outcome = await page.evaluate(`(async () => {
    const { PhotoService, blobSource, runImport } = await import('/page/web.js');
    const client = new PhotoService({ baseUrl: location.origin, token: ${JSON.stringify(installation.token())} });
    const bytes = Uint8Array.from(atob('${photo.toString('base64')}'), (char) => char.charCodeAt(0));
    const files = [new File([bytes], 'rocks.jpg'), new File(['no picture'], 'notes.jpg')];
    const result = await runImport(client, files.map((blob) => blobSource({ blob })));
    const [{ id, filename }] = await client.photos.list().toArray();
    const original = await (await client.photos.download(id)).bytes();
    return { imported: result.imported, failed: result.failed.map(({ ref, code }) => [ref, code]), filename, length: original.length };
  })()`);
  expect(outcome).toEqual({
    imported: 1,
    failed: [['notes.jpg', 'not_an_image']],
    filename: 'rocks.jpg',
    length: photo.length,
  });
  expect(complaints).toEqual([]);
  await context.close();
});

test('the library signs addresses as in Node, and shows a placeholder', async () => {
  const { page, complaints, context } = await session(browser);
  await pageWithLibrary(page);
  const { photoId, signed, signature } = deliveryVectors[0];
  const request = {
    publicUrl: 'https://photos.example.com',
    ...vectorKey,
    photoId,
    options: { width: 300, fit: 'cover' },
  };
  const outcome = await page.evaluate(`(async () => {
    const { imageUrl, placeholder } = await import('/page/web.js');
    const image = new Image();
    image.src = placeholder('1QcSHQRnh493V4dIh4eXh1h4kJUI');
    await image.decode();
    return [await imageUrl(${JSON.stringify(request)}), Math.max(image.naturalWidth, image.naturalHeight)];
  })()`);
  expect(outcome).toEqual([`https://photos.example.com${signed}?sig=${signature}`, 32]);
  expect(complaints).toEqual([]);
  await context.close();
});
