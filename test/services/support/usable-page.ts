import type { Page } from 'playwright-core';
import { poorContrasts, seriousViolations } from './axe.js';

/** Where pictures of pages go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;

/** Fails unless everyone can use a page: on a desk by day, on a telephone by night. @param name Of its picture. */
export async function expectUsable(name: string, page: Page): Promise<void> {
  for (const [device, width, colorScheme, violationsOn] of [
    ['phone', 390, 'dark', seriousViolations],
    // The rest does not depend on colours.
    ['desktop', 1280, 'light', poorContrasts],
  ] as const) {
    await showAs(page, width, colorScheme);
    const wrong = await violationsOn(page);
    const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect([name, device, wrong, tooWide]).toEqual([name, device, [], 0]);
    if (shots !== null) await page.screenshot({ path: `${shots}/${name}-${device}.png`, fullPage: true });
  }
}

/** In a window of this width, and where the reader's system has these colours; the browser draws it once for both. */
export async function showAs(page: Page, width: number, colorScheme: 'light' | 'dark'): Promise<void> {
  await Promise.all([
    page.setViewportSize({ width, height: 800 }),
    page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }),
  ]);
}
