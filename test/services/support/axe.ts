import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Of less weight to axe-core; here no page may be without them: all content is in landmarks. */
const ALSO: readonly string[] = ['region', 'landmark-one-main', 'page-has-heading-one'];

/** What axe-core finds serious or critical on a page, and what is in no landmark, in words. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(source);
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[];
  return found
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || ALSO.includes(id))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
