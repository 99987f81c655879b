import type { Browser } from 'playwright-core';
import { type RunningApp, startApp } from '../http/support/start-app.js';
import { seriousViolations } from './support/axe.js';
import { launchBrowser, session } from './support/browser.js';

let app: RunningApp;
let browser: Browser;

beforeAll(async () => {
  app = await startApp();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

test('the page reads the document out and sends a request with a key, and its policy refuses nothing of it', async () => {
  const { token } = await app.customer();
  const { page, complaints, context } = await session(browser);
  const sites = new Set<string>();
  page.on('request', (request) => sites.add(new URL(request.url()).origin));
  await page.goto(`${app.url}/docs`);
  await page.getByText('List photos', { exact: true }).waitFor();
  expect(await page.locator('.opblock').count()).toBeGreaterThanOrEqual(21);

  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  await page.locator('.auth-container input').fill(token);
  await page.locator('.auth-container').getByRole('button', { name: 'Apply credentials' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  const me = page.locator('#operations-Account-getMe');
  await me.locator('.opblock-summary-control').click();
  await me.getByRole('button', { name: 'Try it out' }).click();
  await me.getByRole('button', { name: 'Execute' }).click();
  await me.locator('.live-responses-table').getByText('200', { exact: true }).first().waitFor();

  expect(complaints).toEqual([]);
  expect([...sites]).toEqual([app.url]);
  await context.close();
});

test('guides are read without JavaScript, in wide and narrow windows', async () => {
  const { page, complaints, context } = await session(browser, { width: 360 });
  await page.goto(`${app.url}/docs/guides/quick-start`);
  await page.getByRole('heading', { level: 1, name: 'Quick start' }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});
