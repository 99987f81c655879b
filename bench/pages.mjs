// What a person with a browser waits for: the pages of a library of 10,000 photos in Chromium, by its own measurements (CDP), compared with
// what bench/measurements.md allows. Needs Debian's chromium-headless-shell.
//   node bench/pages.mjs [photos, default 10000]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { scrolled } from './scroll.mjs';
import { root, startService } from './service.mjs';

const count = Number(process.argv[2] ?? 10_000);
const VIEW = { width: 1440, height: 900 };

const folder = mkdtempSync(join(tmpdir(), 'phs-pages-'));
const service = await startService();
try {
  await fill();
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
  const state = await signedIn(browser);
  const rows = [
    ...(await opened(browser, state, 'library', '/settings/library')),
    ...(await opened(browser, state, 'photo', await firstPhoto(browser, state))),
    ...(await opened(browser, state, 'map', '/settings/map')),
    ...(await opened(browser, state, 'usage', '/settings/usage')),
  ];
  await browser.close();
  const scroll = await scrolled(`${service.url}/settings/library`, state.cookies, { ...VIEW, count });
  rows.push(
    row('scroll, JavaScript heap at its end', megabytes(scroll.heap), undefined, 'MB'),
    row('scroll, nodes of the document at its end', scroll.nodes, undefined, ''),
    row(
      `scroll through ${count}, memory of the renderer at its end, caches emptied`,
      megabytes(scroll.held),
      300,
      'MB',
    ),
    row('scroll, memory of the renderer at most, with caches of pictures', megabytes(scroll.most), undefined, 'MB'),
    row('scroll, pictures in the page at its end', scroll.pictures, undefined, ''),
    row('scroll, p95 between two frames', scroll.frame, undefined, 'ms'),
  );
  for (const { name, value, limit, unit } of rows) {
    const isKept = limit === undefined || value <= limit;
    if (!isKept) process.exitCode = 1;
    const bound = limit === undefined ? '' : ` (at most ${limit} ${unit}${isKept ? '' : ': EXCEEDED'})`;
    console.log(`${name}: ${value} ${unit}${bound}`);
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Real photos: the newest sixty in the size of a screen, the others small. All differ, and were taken over ten years. */
async function fill() {
  const sources = ['cyclamen', 'silver-fir', 'el-torcal-rocks', 'notocactus'].map((name) =>
    join(root, 'test/fixtures/photos', `${name}.jpg`),
  );
  const made = async (file, width) => {
    const dated = { IFD2: { DateTimeOriginal: '2000:01:01 12:00:00' } };
    return sharp(file).rotate().resize(width, null, { withoutEnlargement: false }).withExif(dated).jpeg().toBuffer();
  };
  const [large, small] = [[], []];
  for (const file of sources) {
    large.push(await made(file, 1600));
    small.push(await made(file, 320));
  }
  for (let n = 0; n < count; n += 1) {
    const bytes = Buffer.from((n < 60 ? large : small)[n % sources.length]);
    const at = new Date(Date.UTC(2025, 11, 31, 12) - n * ((10 * 365 * 86_400_000) / count));
    const text = at.toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');
    // The same length, so nothing moves in the file.
    bytes.write(text, bytes.indexOf('2000:01:01 12:00:00'), 'latin1');
    // Behind the picture: files of the same second differ, too.
    writeFileSync(join(folder, `photo-${n}.jpg`), Buffer.concat([bytes, Buffer.from(String(n))]));
  }
  const env = { ...service.env, PHOTO_SERVICE_URL: service.url, PHOTO_SERVICE_TOKEN: service.token };
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin/phs.js'), 'import', folder, '--json'], {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`the photos were not imported: ${stderr}`);
}

async function signedIn(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(readFileSync(join(service.dataDir, 'first-link'), 'utf8').trim());
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('bench@example.com');
  await page.getByLabel('password').fill('five calm words of mine');
  await page.locator('form button[type="submit"]').click();
  await page.waitForURL('**/settings/library');
  const state = await context.storageState();
  await context.close();
  return state;
}

async function firstPhoto(browser, state) {
  const { page, context } = await newPage(browser, state);
  await page.goto(`${service.url}/settings/library`);
  const href = await page.locator('.grid a').first().getAttribute('href');
  await context.close();
  return href;
}

/** A browser that has been nowhere but at the sign-in page: its cache is empty. */
async function newPage(browser, state) {
  const context = await browser.newContext({ viewport: VIEW, storageState: state });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const seen = { paint: 0, shift: 0, blocked: 0 };
    Object.assign(globalThis, { seen });
    new PerformanceObserver((list) => {
      seen.paint = list.getEntries().at(-1).startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      // As Lighthouse counts: what a task takes beyond 50 ms.
      for (const entry of list.getEntries()) seen.blocked += Math.max(0, entry.duration - 50);
    }).observe({ type: 'longtask', buffered: true });
  });
  return { page, context };
}

function row(name, value, limit, unit) {
  return { name, value, limit, unit };
}

async function opened(browser, state, name, path) {
  const { page, context } = await newPage(browser, state);
  const bytes = await countBytes(page, context);
  await page.goto(`${service.url}${path}`, { waitUntil: 'networkidle' });
  const { paint, shift, blocked } = await page.evaluate('seen');
  const rows = [
    row(`${name}, largest paint`, Math.round(paint), 1200, 'ms'),
    row(`${name}, layout shift`, Math.round(shift * 1000) / 1000, 0, ''),
    row(`${name}, main thread blocked`, Math.round(blocked), 150, 'ms'),
    row(`${name}, received`, megabytes(bytes.all), undefined, 'MB'),
  ];
  if (name === 'library') {
    // A few at a time: what is passed at once is never loaded.
    for (let at = 4; at < 60; at += 5) {
      await page.locator('.grid > li').nth(at).scrollIntoViewIfNeeded();
      await page.locator('.grid > li').nth(at).locator('img').evaluate(isLoaded);
    }
    rows.push(row('60 photos, received', megabytes(bytes.images), 1.5, 'MB'));
  }
  await context.close();
  return rows;
}

/** Resolves once the picture is there. */
function isLoaded(image) {
  return image.complete || new Promise((resolve) => image.addEventListener('load', resolve, { once: true }));
}

/** From the network, headers included. */
async function countBytes(page, context) {
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  const images = new Map();
  const bytes = { all: 0, images: 0 };
  cdp.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Image' && response.url.includes('/renditions/')) images.set(requestId, images.size);
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.all += encodedDataLength;
    // Those that are loaded in advance belong to others.
    if ((images.get(requestId) ?? 60) < 60) bytes.images += encodedDataLength;
  });
  return bytes;
}

function megabytes(bytes) {
  return Math.round(bytes / 1e4) / 100;
}
