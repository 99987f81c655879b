import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { PhotoService } from '../../sdk/src/entry.js';
import { importFiles } from '../../sdk/src/node/entry.js';
import { freePort, Installation } from '../e2e/support/service.js';
import { present } from '../support/tenant.js';
import { seriousViolations } from './support/axe.js';
import { launchBrowser } from './support/browser.js';
import { newDeliveryKey } from './support/delivery-key.js';
import { recordShift } from './support/layout-shift.js';

/** Where pictures go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;

let installation: Installation;
let browser: Browser;
let server: ChildProcess;
let address: string;
const folder = mkdtempSync(join(tmpdir(), 'phs-gallery-'));

beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  const token = present(installation.token());
  const files = [];
  for (let n = 0; n < 8; n++) {
    // Large enough for every width of the page, and of different shapes.
    const [width, height] = n % 2 === 0 ? [2000, 1500] : [1700, 2100];
    const gradient = `<svg width="${width}" height="${height}"><defs><linearGradient id="g"><stop stop-color="hsl(${n * 45},70%,40%)"/>
      <stop offset="1" stop-color="hsl(${n * 45 + 120},70%,60%)"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/></svg>`;
    const path = join(folder, `${n}.jpg`);
    writeFileSync(path, await sharp(Buffer.from(gradient)).jpeg().toBuffer());
    files.push(path);
  }
  await importFiles(new PhotoService({ baseUrl: installation.url, token }), files);
  const { keyId, secret } = await newDeliveryKey(installation);
  const port = String(await freePort());
  address = `http://127.0.0.1:${port}`;
  server = spawn(process.execPath, [join(__dirname, '../../examples/gallery/server.mjs')], {
    env: {
      PATH: process.env.PATH,
      PORT: port,
      PHOTO_SERVICE_URL: installation.url,
      PHOTO_SERVICE_TOKEN: token,
      DELIVERY_KEY: keyId,
      DELIVERY_SECRET: secret,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => server.stdout?.once('data', resolve));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  server?.kill();
  await installation?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** What the browser chose, and how far things moved while it all came. */
const seen = (page: Page) =>
  page.evaluate(async () => {
    const images = [...document.images];
    // One after another comes into view, as for somebody who scrolls.
    for (const image of images) {
      image.scrollIntoView();
      await image.decode();
    }
    const win = window as unknown as { shift: number };
    return {
      shift: win.shift,
      shown: images.map(({ width, height, currentSrc }) => ({ width, height, currentSrc })),
    };
  });

test.each([
  [400, 1, 400, 400],
  [400, 2, 400, 800],
  [800, 1, 400, 400],
  [800, 2, 400, 800],
  [1200, 1, 300, 300],
  [1200, 2, 300, 600],
])(
  'on a screen %i pixels wide with density %i, images of %i pixels are loaded with %i, and nothing moves',
  async (width, deviceScaleFactor, slot, pixels) => {
    const context = await browser.newContext({ viewport: { width, height: 700 }, deviceScaleFactor });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    const types = new Set<string | undefined>();
    page.on('response', (response) => {
      if (response.url().includes('/img/')) types.add(response.headers()['content-type']);
    });
    await recordShift(page);
    await page.goto(address);
    const { shift, shown } = await seen(page);
    expect(shown).toHaveLength(8);
    for (const image of shown) {
      expect([image.width, Math.round(image.height)]).toEqual([slot, Math.round(slot / 1.5)]);
      expect(image.currentSrc).toContain(`/w=${pixels},h=${Math.round(pixels / 1.5)},fit=cover?sig=`);
    }
    expect(shift).toBe(0);
    expect([...types]).toEqual(['image/avif']);
    expect(complaints).toEqual([]);
    expect(await seriousViolations(page)).toEqual([]);
    if (shots !== null) await page.screenshot({ path: join(shots, `gallery ${width}@${deviceScaleFactor}.png`) });
    await context.close();
  },
);

test('previews stand in the places of images until these arrive', async () => {
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 } });
  const page = await context.newPage();
  await page.route('**/img/**', (route) => route.abort());
  await page.goto(address);
  const boxes = await page.evaluate(() =>
    [...document.images].map((image) => {
      const { width, height } = image.getBoundingClientRect();
      return [width, height, getComputedStyle(image).backgroundImage.slice(0, 26)];
    }),
  );
  expect(boxes).toEqual(Array.from({ length: 8 }, () => [300, 200, 'url("data:image/png;base64']));
  if (shots !== null) await page.screenshot({ path: join(shots, 'gallery previews.png') });
  await context.close();
});
