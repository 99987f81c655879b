import type { Browser } from 'playwright-core';
import { HOME } from '../../src/http/settings/navigation.js';
import { Installation } from '../e2e/support/service.js';
import { seriousViolations } from './support/axe.js';
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

test('the first-run link lets one browser in, once', async () => {
  const link = installation.link() ?? '';
  const { page, complaints, context } = await session(browser);
  await page.goto(link);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('navigation', { name: 'Settings' }).waitFor();
  expect(page.url()).toBe(`${installation.url}${HOME}`);
  expect(await seriousViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);

  const late = await session(browser);
  expect((await late.page.goto(link))?.status()).toBe(403);
  await late.page.goto(`${installation.url}/settings`);
  expect(await late.page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
  expect(await seriousViolations(late.page)).toEqual([]);
  await late.context.close();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await context.close();
});
