import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { program } from './programs.js';

/**
 * A Chromium without a window: the shell, which draws as the whole browser does and takes two thirds of its processor time. One for a test
 * file; each test opens pages of its own in `session()`.
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = program('chromium-headless-shell', 'chromium-headless-shell');
  // Its sandbox needs what root and containers do not give; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] });
}

export interface View {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly javaScriptEnabled?: boolean;
  /** A phone: fingers instead of a mouse. */
  readonly hasTouch?: boolean;
  readonly timezoneId?: string;
  readonly locale?: string;
}

export interface BrowserSession {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page complained of: failed scripts, refused styles. */
  readonly complaints: readonly string[];
}

/** A browser that has been nowhere, with one page. */
export async function session(browser: Browser, view: View = {}): Promise<BrowserSession> {
  const {
    colorScheme = 'light',
    width = 1280,
    height = 800,
    javaScriptEnabled = true,
    hasTouch = false,
    ...own
  } = view;
  const viewport = { width, height };
  const { timezoneId, locale } = own;
  const context = await browser.newContext({
    ...{ colorScheme, viewport, javaScriptEnabled, hasTouch, isMobile: hasTouch },
    ...(timezoneId !== undefined && { timezoneId }),
    ...(locale !== undefined && { locale }),
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { context, page, complaints };
}

export const PASSWORD = 'five calm words of mine';

/** Fills in the page that a one-time link shows: a password, and an address where the person has none yet. */
export async function welcome(page: Page, email: string | null = null, password = PASSWORD): Promise<void> {
  if (email !== null) await page.getByRole('textbox', { name: 'E-mail address' }).fill(email);
  await page.getByLabel('password').fill(password);
  await page.locator('form button[type="submit"]').click();
}

/** Until the focus is on an element of this name, as somebody without a mouse gets there. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const own = document.activeElement as HTMLInputElement | null;
      return own === document.body ? '' : (own?.ariaLabel ?? own?.labels?.[0]?.textContent ?? own?.textContent ?? '');
    });
  for (let presses = 0; presses < 60 && (await focused()).trim() !== name; presses += 1) {
    await page.keyboard.press('Tab');
  }
  expect((await focused()).trim()).toBe(name);
}

/** By the keyboard alone: follows a link, or presses a button. */
export async function pressKey(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** By the keyboard alone: replaces what is in a field, also in one of several lines. */
export async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

/** By the keyboard alone: replaces what is in a field, and sends the form. */
export async function enterInto(page: Page, label: string, text: string): Promise<void> {
  await typeInto(page, label, text);
  await page.keyboard.press('Enter');
}

/** By the keyboard alone, on the sign-in page. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await typeInto(page, 'E-mail address', email);
  await enterInto(page, 'Password', password);
}
