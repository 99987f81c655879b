import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';

const folder = join(__dirname, '../../fixtures/screens');
/** A picture of the window, small enough that the edges of letters do not matter. */
const WIDTH = 360;
/** Parts of it, in pixels: about a word of a page that is 1440 wide. */
const BLOCK = 8;
/** Of WebP, in pixels. */
const MACROBLOCK = 16;
/** Of 255, on average over a part. Another version of the browser or of its fonts comes to 3, a missing button to more than 20. */
const TOLERANCE = 10;
/** Looks at a page that still differs: on a busy machine the text of one control was once not drawn yet as it should be. */
const MOST_LOOKS = 20;
/** The same of one view of a sheet. */
const MOST_VIEWS = 5;

/**
 * Where the window differs from its picture of before (`test/fixtures/screens`), in words. `SCREENS=write` stores it as it is now, after somebody has
 * looked at it.
 */
export async function differencesFrom(name: string, page: Page): Promise<readonly string[]> {
  await page.evaluate('document.fonts.ready');
  let found: readonly string[] = [];
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const small = await sharp(shot).removeAlpha().resize(WIDTH).png({ palette: true }).toBuffer();
    found = await differences(`${name}.png`, small);
    if (found.length === 0) break;
  }
  return found;
}

/** Several looks at a page, below each other: one picture for each page. */
export class ScreenSheet {
  private readonly views: (View & { readonly top: number })[] = [];
  private isDifferent = false;
  private height = 0;
  private readonly file: string;
  private readonly before: Promise<Pixels | null>;

  constructor(name: string) {
    this.file = join('pages', `${name}.webp`);
    this.before = storedPixels(this.file);
  }

  /** Of a phone it stores half as much. A page that differs is looked at again. */
  async add(page: Page): Promise<void> {
    await page.evaluate(areLoaded);
    let view = await this.viewOf(page);
    let differs = await this.differs(view);
    for (let looks = 1; looks < MOST_VIEWS && differs; looks += 1) {
      view = await this.viewOf(page);
      differs = await this.differs(view);
    }
    this.isDifferent ||= differs;
    this.views.push({ ...view, top: this.height });
    this.height += view.raw.height;
  }

  async differences(): Promise<readonly string[]> {
    const isStored = process.env['SCREENS'] === 'write';
    // Each view was as before, so that the sheet of all is, too.
    if (!isStored && !this.isDifferent && this.height === (await this.before)?.height) return [];
    const placed = this.views.map((view) => ({ ...view, left: 0 }));
    const create = { width: WIDTH, height: this.height, channels: 3, background: 'gray' } as const;
    return differences(this.file, await compressed(sharp({ create }).composite(placed)));
  }

  /** Whether the next view is not as before: in its place, since compression depends on what is around it. */
  private async differs({ input, raw: { height } }: View): Promise<boolean> {
    const before = await this.before;
    if (before === null || differing({ data: input, height }, before, this.height).length === 0) return false;
    // From the row of macroblocks in which it begins.
    const above = this.height % MACROBLOCK;
    const rows = before.data.subarray((this.height - above) * WIDTH * 3, this.height * WIDTH * 3);
    const raw = { width: WIDTH, height: above + height, channels: 3 } as const;
    const { data } = await pixels(await compressed(sharp(Buffer.concat([rows, input]), { raw })));
    const now = { data: data.subarray(above * WIDTH * 3), height };
    return differing(now, before, this.height).length > 0;
  }

  private async viewOf(page: Page): Promise<View> {
    const width = (page.viewportSize()?.width ?? 0) < 2 * WIDTH ? WIDTH / 2 : WIDTH;
    const small = sharp(await pictureOf(page))
      .resize(width)
      .extend({ right: WIDTH - width, background: 'gray' });
    const { data: input, info } = await small.removeAlpha().raw().toBuffer({ resolveWithObject: true });
    return { input, raw: { width: info.width, height: info.height, channels: 3 } };
  }
}

/** The window as it is, by the browser's own command: what playwright adds takes longer, and nothing moves on these pages. */
async function pictureOf(page: Page): Promise<Buffer> {
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', {
    format: 'jpeg',
    quality: 90,
    optimizeForSpeed: true,
  });
  await browser.detach();
  return Buffer.from(data, 'base64');
}

/** Replaces what is different in each run: times, numbers, tokens; hides what is drawn from them. */
export async function steady(page: Page): Promise<void> {
  await page.evaluate(() => {
    // Lists that follow what is in progress would write over it.
    window.fetch = () => new Promise(() => undefined);
    for (const time of document.querySelectorAll('time')) time.textContent = 'Time';
    for (const drawn of document.querySelectorAll<SVGElement>('.qr, .chart')) drawn.style.visibility = 'hidden';
    // Ports are in addresses that somebody has entered.
    for (const field of document.querySelectorAll<HTMLInputElement>('input[type="url"]')) {
      field.value = field.value.replace(/\d+/g, '0');
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      const steadied = (text.nodeValue ?? '')
        .replace(/\bphs_\w+…\w+/g, 'token')
        // One in sixteen has no digit.
        .replace(/\bdk_\w{16}\b/g, 'token')
        // One without a digit is a word. One in sixty-four begins with a hyphen.
        .replace(/(?<![\w-])(?=[a-z_-]*\d)[\w-]{12,}(?![\w-])/gi, 'token')
        .replace(/\d[\d.,:]*/g, '0');
      if (text.nodeValue !== steadied) text.nodeValue = steadied;
    }
  });
}

/** Typeface and pictures of the window. */
async function areLoaded(): Promise<void> {
  await document.fonts.ready;
  const inside = [...document.images].filter((image) => {
    const { top, bottom, width } = image.getBoundingClientRect();
    return width > 0 && bottom > 0 && top < innerHeight;
  });
  await Promise.all(inside.map((image) => image.decode()));
}

/** Compares it with the stored picture, or stores it. */
async function differences(name: string, picture: Buffer): Promise<readonly string[]> {
  if (process.env['SCREENS'] === 'write') writeFileSync(join(folder, name), picture);
  const [now, before] = [await pixels(picture), await storedPixels(name)];
  if (before === null) return [`There is no picture ${name} yet.`];
  if (now.height !== before.height) return [`It is ${now.height} high instead of ${before.height}.`];
  return differing(now, before).map((where) => `${name}: ${where}`);
}

async function storedPixels(name: string): Promise<Pixels | null> {
  const file = join(folder, name);
  return existsSync(file) ? pixels(readFileSync(file)) : null;
}

/** The parts that differ. @param offset Where the picture is in the other one, from its top. */
function differing(now: Pixels, before: Pixels, offset = 0): readonly string[] {
  const found: string[] = [];
  for (let top = 0; top + BLOCK <= now.height; top += BLOCK) {
    for (let left = 0; left + BLOCK <= WIDTH; left += BLOCK) {
      const difference = meanDifference(now.data, before.data.subarray(offset * WIDTH * 3), left, top);
      if (difference > TOLERANCE) found.push(`${Math.round(difference)} at ${left}, ${top}`);
    }
  }
  return found;
}

function compressed(picture: Sharp): Promise<Buffer> {
  return picture.webp({ quality: 50 }).toBuffer();
}

interface View {
  readonly input: Buffer;
  readonly raw: { readonly width: number; readonly height: number; readonly channels: 3 };
}

interface Pixels {
  readonly data: Buffer;
  readonly height: number;
}

async function pixels(picture: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(picture)
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
