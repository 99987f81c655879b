// What a person with a browser waits for: the pages of a library of 10,000 photos in Chromium, by its own measurements (CDP), compared with
// what bench/measurements.md allows. Needs Debian's chromium-headless-shell.
//   node bench/pages.mjs [photos, default 10000]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import WebSocket from 'ws';
import { memoryOf, root, startService } from './service.mjs';

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

/**
 * Scrolls down to the oldest photo, as somebody would who holds the wheel: a screen at a time. Memory in bytes, the time between frames in ms. By
 * the DevTools protocol alone: playwright-core asks the browser about each request, and then the renderer keeps the bodies of responses for whoever
 * may want to see them, up to 100 MB: more than the page itself takes.
 */
async function scrolled(url, cookies, { width, height, count }) {
  const profile = mkdtempSync(join(tmpdir(), 'phs-scroll-'));
  const options = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--remote-debugging-port=0'];
  const chromium = spawn(
    '/usr/bin/chromium-headless-shell',
    [...options, `--user-data-dir=${profile}`, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own, with its other processes, which would write to the profile for a moment after it has ended.
      detached: true,
    },
  );
  const ended = once(chromium, 'close');
  const rendererBytes = () => memoryOf({ pid: chromium.pid }, '--type=renderer');
  let page;
  try {
    page = await pageOf(await addressOf(chromium));
    const evaluate = async (expression) => {
      const { result } = await page.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      return result.value;
    };
    for (const { name, value, httpOnly, sameSite } of cookies) {
      await page.send('Network.setCookie', { url, name, value, httpOnly, sameSite });
    }
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await page.send('Page.navigate', { url });
    while (!(await evaluate("document.querySelectorAll('.grid img').length > 0"))) await delay(100);
    await evaluate(`
      globalThis.frameTimes = [];
      let last = performance.now();
      const frame = (now) => {
        frameTimes.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      0;
    `);
    let [most, place, still] = [0, '', 0];
    while (still < 60) {
      const wheel = { type: 'mouseWheel', x: width / 2, y: height / 2, deltaX: 0, deltaY: height };
      await page.send('Input.dispatchMouseEvent', wheel);
      await delay(100);
      const now = await evaluate("[document.querySelectorAll('.grid > li').length, scrollY].join()");
      still = now === place ? still + 1 : 0;
      place = now;
      most = Math.max(most, rendererBytes());
    }
    const [found] = place.split(',').map(Number);
    if (found !== count) throw new Error(`the scroll ended after ${found} photos`);
    const frame = await evaluate('Math.round(frameTimes.sort((a, b) => a - b)[Math.floor(frameTimes.length * 0.95)])');
    await page.send('HeapProfiler.collectGarbage');
    // Decoded pictures are kept as long as nothing else needs the memory: what is left is what the page holds.
    await page.send('Memory.simulatePressureNotification', { level: 'critical' });
    const held = await settled(rendererBytes);
    await page.send('Performance.enable');
    const { metrics } = await page.send('Performance.getMetrics');
    const metric = (name) => metrics.find((each) => each.name === name)?.value ?? 0;
    const pictures = await evaluate("document.querySelectorAll('.grid img').length");
    return { most, held, heap: metric('JSHeapUsedSize'), nodes: metric('Nodes'), pictures, frame };
  } finally {
    page?.close();
    process.kill(-chromium.pid, 'SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Emptying caches takes a while: until it has not become less for four seconds. */
async function settled(bytes) {
  let least = bytes();
  for (let still = 0; still < 4; still += 1) {
    await delay(1000);
    const now = bytes();
    if (now < least) still = 0;
    least = Math.min(least, now);
  }
  return least;
}

/** Where the browser says that it listens. */
async function addressOf({ stderr }) {
  let said = '';
  for await (const text of stderr) {
    said += text;
    const [, port] = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(said) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`Chromium did not start: ${said}`);
}

/** Its only page. */
async function pageOf(address) {
  const targets = await (await fetch(`${address}/json/list`)).json();
  const socket = new WebSocket(targets.find(({ type }) => type === 'page').webSocketDebuggerUrl);
  await once(socket, 'open');
  const waiting = new Map();
  let last = 0;
  socket.on('message', (text) => {
    const { id, result, error } = JSON.parse(text);
    const answered = waiting.get(id);
    waiting.delete(id);
    if (error) answered?.reject(new Error(error.message));
    else answered?.resolve(result);
  });
  const send = (method, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return { send, close: () => socket.terminate() };
}
