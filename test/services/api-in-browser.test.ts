import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Installation } from '../e2e/support/service.js';
import { deliveryVectors, vectorKey } from '../support/delivery-vectors.js';
import { seriousViolations } from './support/axe.js';
import { launchBrowser, session } from './support/browser.js';

const root = join(__dirname, '../..');
/** Where pictures go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;

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

test('a request is tried with a key that stays in the tab, and nothing comes from elsewhere', async () => {
  const { page, complaints, context } = await session(browser, { width: 1600 });
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  await page.goto(`${installation.url}/docs`);
  await page.getByRole('link', { name: 'Account', exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Key for “Try it”' }).fill(installation.token() ?? '');
  const me = page.getByRole('region', { name: 'Retrieve the caller' });
  await me.getByText('Try it').click();
  await me.getByRole('button', { name: 'Send' }).click();
  await me.getByRole('status').getByText('"name": "First customer"').waitFor();
  expect(await me.getByRole('status').innerText()).toMatch(/^200 /);

  // After a reload it is still there; in another tab it is not.
  await page.goto(`${installation.url}/docs/reference/photos`);
  await page.locator('#downloadPhoto').getByText('Try it').click();
  const download = page.getByRole('region', { name: 'Download a photo' });
  await download.getByLabel('id').fill('1000000');
  await download.getByRole('button', { name: 'Send' }).click();
  await download.getByRole('status').getByText('"code": "not_found"').waitFor();
  const other = await context.newPage();
  await other.goto(`${installation.url}/docs/reference/photos`);
  expect(await other.getByRole('textbox', { name: 'Key for “Try it”' }).inputValue()).toBe('');
  expect(complaints).toEqual([expect.stringContaining('404')]);
  expect([...asked]).toEqual([installation.url]);
  await context.close();
});

test('a language that is chosen is chosen everywhere, and without scripts one can be chosen, too', async () => {
  const { page, context } = await session(browser);
  await page.goto(`${installation.url}/docs/reference/tags`);
  const section = page.getByRole('region', { name: 'Retrieve a tag' });
  await section.getByRole('radio', { name: 'Ruby' }).check();
  expect(await section.locator('[data-language=Ruby]').isVisible()).toBe(true);
  expect(await section.locator('[data-language=curl]').isVisible()).toBe(false);
  await page.goto(`${installation.url}/docs/guides/delivery`);
  expect(await page.getByRole('radio', { name: 'Ruby' }).isChecked()).toBe(true);
  expect(await page.getByText('OpenSSL::HMAC.digest').isVisible()).toBe(true);
  await context.close();
  const plain = await session(browser, { javaScriptEnabled: false });
  await plain.page.goto(`${installation.url}/docs/reference/tags`);
  await plain.page.locator('#getTag').getByRole('radio', { name: 'Go' }).check();
  expect(await plain.page.locator('#getTag [data-language=Go]').isVisible()).toBe(true);
  expect(await plain.page.locator('#getTag .try').isVisible()).toBe(false);
  await plain.context.close();
});

test('the guides are one click away, and need no JavaScript', async () => {
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
  await page.waitForURL('**/docs/reference/photos#getPhoto');
  await page.getByRole('searchbox', { name: 'Search' }).fill('zzyzx');
  await page.getByText('0 found', { exact: true }).waitFor({ state: 'attached' });
  expect(complaints).toEqual([]);
  await context.close();
});

test('a search whose list could not be loaded says so, and asks for it again', async () => {
  const { page, context } = await session(browser);
  let isDown = true;
  await page.route('**/docs/search.json', (route) => (isDown ? route.fulfill({ status: 503 }) : route.continue()));
  await page.goto(`${installation.url}/docs`);
  const input = page.getByRole('searchbox', { name: 'Search' });
  await input.fill('photo');
  await page.locator('#results').getByText('The search could not be loaded. Type again to retry.').waitFor();
  isDown = false;
  await input.fill('Retrieve a photo');
  await page.locator('#results').getByRole('link', { name: 'Retrieve a photo', exact: true }).waitFor();
  await context.close();
});

test.each([
  [390, 'light'],
  [1440, 'dark'],
] as const)('the reference is accessible and fits the page at a width of %i, %s', async (width, colorScheme) => {
  const { page, complaints, context } = await session(browser, { width, colorScheme });
  for (const path of [
    ...['', '/reference/photos', '/reference/webhooks', '/operator', '/operator/customers'],
    ...['/guides', '/guides/delivery', '/guides/operations', '/errors', '/errors/not_found'],
  ]) {
    await page.goto(`${installation.url}/docs${path}`);
    await page.locator('search:not([hidden])').waitFor();
    if (shots !== null) await page.screenshot({ path: join(shots, `docs${path.replaceAll('/', '-')}-${width}.png`) });
    expect([path, await seriousViolations(page)]).toEqual([path, []]);
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
  }
  expect(complaints).toEqual([]);
  await context.close();
});

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
