import type { Browser } from 'playwright-core';
import { Installation } from '../e2e/support/service.js';
import { launchBrowser, session } from './support/browser.js';

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
