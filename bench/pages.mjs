// What a person with a browser waits for: the pages of a library of 10,000 photos in Chromium, by its own measurements (CDP), compared with
// what docs/decisions/0081 allows. Needs Debian's chromium-headless-shell.
//   node bench/pages.mjs [photos, default 10000]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { memoryOf, root, startService } from './service.mjs';

const count = Number(process.argv[2] ?? 10_000);
const VIEW = { width: 1440, height: 900 };

const folder = mkdtempSync(join(tmpdir(), 'phs-pages-'));
const service = await startService();
const server = await chromium.launchServer({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
try {
  await fill();
  const browser = await chromium.connect(server.wsEndpoint());
  const state = await signedIn(browser);
  const rows = [
    ...(await opened(browser, state, 'library', '/settings/library')),
    ...(await opened(browser, state, 'photo', await firstPhoto(browser, state))),
    ...(await opened(browser, state, 'map', '/settings/map')),
    ...(await opened(browser, state, 'usage', '/settings/usage')),
    ...(await scrolled(browser, state)),
  ];
  for (const { name, value, limit, unit } of rows) {
    const isKept = limit === undefined || value <= limit;
    if (!isKept) process.exitCode = 1;
    const bound = limit === undefined ? '' : ` (at most ${limit} ${unit}${isKept ? '' : ': EXCEEDED'})`;
    console.log(`${name}: ${value} ${unit}${bound}`);
  }
  await browser.close();
} finally {
  await server.close();
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
    await page.locator('.grid > li').nth(59).scrollIntoViewIfNeeded();
    await page.waitForLoadState('networkidle');
    rows.push(row('60 photos, received', megabytes(bytes.images), 1.5, 'MB'));
  }
  await context.close();
  return rows;
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

/** Down to the oldest photo, as somebody would who holds the wheel: a screen at a time. */
async function scrolled(browser, state) {
  const { page, context } = await newPage(browser, state);
  await page.goto(`${service.url}/settings/library`, { waitUntil: 'networkidle' });
  await page.evaluate(() => {
    let last = performance.now();
    globalThis.frames = [];
    const frame = (now) => {
      globalThis.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  let [memory, tiles, still] = [0, 0, 0];
  while (still < 60) {
    await page.mouse.wheel(0, VIEW.height);
    await page.waitForTimeout(100);
    const now = await page.evaluate(() => [document.querySelectorAll('.grid > li').length, scrollY].join());
    still = now === tiles ? still + 1 : 0;
    tiles = now;
    memory = Math.max(memory, rendererBytes());
  }
  const [found] = tiles.split(',').map(Number);
  if (found !== count) throw new Error(`the scroll ended after ${found} photos`);
  const [images, frames] = await page.evaluate(() => [
    document.querySelectorAll('.grid img').length,
    globalThis.frames,
  ]);
  const sorted = frames.sort((a, b) => a - b);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  await cdp.send('HeapProfiler.collectGarbage');
  // Decoded pictures are kept as long as nothing else needs the memory: what is left is what the page holds.
  await cdp.send('Memory.simulatePressureNotification', { level: 'critical' });
  const held = await settledBytes(page);
  const { metrics } = await cdp.send('Performance.getMetrics');
  const metric = (name) => metrics.find((each) => each.name === name)?.value ?? 0;
  await context.close();
  return [
    row('scroll, JavaScript heap at its end', megabytes(metric('JSHeapUsedSize')), undefined, 'MB'),
    row('scroll, nodes of the document at its end', metric('Nodes'), undefined, ''),
    row(`scroll through ${count}, memory of the renderer at its end, caches emptied`, megabytes(held), 300, 'MB'),
    row('scroll, memory of the renderer at most, with caches of pictures', megabytes(memory), undefined, 'MB'),
    row('scroll, pictures in the page at its end', images, undefined, ''),
    row('scroll, p95 between two frames', Math.round(sorted[Math.floor(sorted.length * 0.95)]), undefined, 'ms'),
  ];
}

/** Emptying caches takes a while: until it has not become less for four seconds. */
async function settledBytes(page) {
  let least = rendererBytes();
  for (let still = 0; still < 4; still += 1) {
    await page.waitForTimeout(1000);
    const now = rendererBytes();
    if (now < least) still = 0;
    least = Math.min(least, now);
  }
  return least;
}

function rendererBytes() {
  return memoryOf({ pid: server.process().pid }, '--type=renderer');
}

function megabytes(bytes) {
  return Math.round(bytes / 1e4) / 100;
}
