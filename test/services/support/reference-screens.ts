import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

const folder = join(__dirname, '../../fixtures/screens');
/** A picture of the window, small enough that the edges of letters do not matter. */
const WIDTH = 360;
/** Parts of it, in pixels: about a word of a page that is 1440 wide. */
const BLOCK = 8;
/** Of 255, on average over a part. Another version of the browser or of its fonts comes to 3, a missing button to more than 20. */
const TOLERANCE = 10;

/**
 * Where the window differs from its picture of before (`test/fixtures/screens`), in words. `SCREENS=write` stores it as it is now, after somebody has
 * looked at it.
 */
export async function differencesFrom(name: string, page: Page): Promise<readonly string[]> {
  await page.evaluate('document.fonts.ready');
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const small = await sharp(shot).removeAlpha().resize(WIDTH).png({ palette: true }).toBuffer();
  const file = join(folder, `${name}.png`);
  if (process.env['SCREENS'] === 'write') writeFileSync(file, small);
  if (!existsSync(file)) return [`There is no picture ${name} yet.`];
  const [now, before] = [await pixels(small), await pixels(readFileSync(file))];
  if (now.height !== before.height) return [`It is ${now.height} high instead of ${before.height}.`];
  const found: string[] = [];
  for (let top = 0; top + BLOCK <= now.height; top += BLOCK) {
    for (let left = 0; left + BLOCK <= WIDTH; left += BLOCK) {
      const difference = meanDifference(now.data, before.data, left, top);
      if (difference > TOLERANCE) found.push(`${name}: ${Math.round(difference)} at ${left}, ${top}`);
    }
  }
  return found;
}

async function pixels(png: Buffer): Promise<{ data: Buffer; height: number }> {
  const { data, info } = await sharp(png)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, height: info.height };
}

function meanDifference(one: Buffer, other: Buffer, left: number, top: number): number {
  let sum = 0;
  for (let y = top; y < top + BLOCK; y += 1) {
    const from = (y * WIDTH + left) * 3;
    for (let at = from; at < from + BLOCK * 3; at += 1) sum += Math.abs((one[at] ?? 0) - (other[at] ?? 0));
  }
  return sum / (BLOCK * BLOCK * 3);
}
