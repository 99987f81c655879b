import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** To be evaluated on a page; adds `axe` to it. */
export const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** With it a page begins that is to have axe by `loadAxe()`: sent to the browser once, and not for each page. */
export const AXE_AT_HAND = `globalThis.loadAxe = function () { ${AXE}\n};`;

export interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Of less weight to axe-core; here no page may be without them: all content is in landmarks. */
const ALSO: readonly string[] = ['region', 'landmark-one-main', 'page-has-heading-one'];

/** Options of axe-core: texts that their colours make hard to read. The rest does not depend on colours. */
export const CONTRASTS = { runOnly: ['color-contrast'] };

/** What axe-core finds serious or critical on a page, and what is in no landmark, in words. */
export async function seriousViolations(page: Page): Promise<string[]> {
  return seriousOf(await violationsOf(page));
}

/** Texts that their colours make hard to read. */
export async function poorContrasts(page: Page): Promise<string[]> {
  return seriousOf(await violationsOf(page, CONTRASTS));
}

async function violationsOf(page: Page, options: object = {}): Promise<readonly Violation[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  return page.evaluate(violationsBy(options));
}

/** An expression for what axe finds, without a description of all that is in order. */
export function violationsBy(options: object): string {
  return `axe.run(${JSON.stringify({ ...options, resultTypes: ['violations'] })}).then(({ violations }) => violations)`;
}

export function seriousOf(found: readonly Violation[]): string[] {
  return found
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || ALSO.includes(id))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
