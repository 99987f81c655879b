import type { Browser, BrowserContext } from 'playwright-core';
import type { Installation } from '../../e2e/support/service.js';
import { present } from '../../support/tenant.js';
import { type BrowserSession, session, type View, welcome } from './browser.js';

/** The first person of an installation, in as many browsers as a test needs. */
export class SignedIn {
  private constructor(
    private readonly browser: Browser,
    private readonly url: string,
    private readonly cookies: Parameters<BrowserContext['addCookies']>[0],
  ) {}

  /** Enters by the first link, which that uses up. */
  static async enter(browser: Browser, installation: Installation): Promise<SignedIn> {
    const { page, context } = await session(browser);
    await page.goto(present(installation.link()));
    await welcome(page, 'anna@example.com');
    await page.waitForURL('**/settings/library');
    const cookies = await context.cookies();
    await context.close();
    return new SignedIn(browser, installation.url, cookies);
  }

  /** A browser that is signed in, before its first page. */
  async open(view: View = {}): Promise<BrowserSession> {
    const opened = await session(this.browser, view);
    await opened.context.addCookies(this.cookies);
    return opened;
  }

  async visit(path: string, view: View = {}): Promise<BrowserSession> {
    const opened = await this.open(view);
    await opened.page.goto(`${this.url}${path}`);
    return opened;
  }
}
