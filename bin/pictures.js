import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import sharp from 'sharp';

// Makes the pictures of README.md out of the built program, with the photos of `phs demo`: docs/images.
//   npm run pictures [-- FOLDER]      needs a Chromium: Debian's chromium-headless-shell, or CHROMIUM=PATH
const root = join(import.meta.dirname, '..');
const target = process.argv[2] ?? join(root, 'docs', 'images');
const { PATH, HOME, PORT = '3998', CHROMIUM: executablePath = '/usr/bin/chromium-headless-shell' } = process.env;
const url = `http://127.0.0.1:${PORT}`;
const folder = mkdtempSync(join(tmpdir(), 'phs-pictures-'));
const env = { PATH, HOME, PORT, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn', PROCESSES: '1' };
const program = join(root, 'bin', 'phs.js');
const size = { width: 1280, height: 800 };
/** What the recording is made smaller to, and how long each of its pictures stays. */
const FRAME_WIDTH = 880;
const QUICK_MS = 90;
const CALM_MS = 1_100;

mkdirSync(target, { recursive: true });
const service = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
const ended = new Promise((end) => service.once('exit', end));
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
try {
  // Written last, once the service listens.
  const patience = Date.now() + 60_000;
  while (!existsSync(join(env.DATA_DIR, 'first-link'))) {
    if (Date.now() > patience) throw new Error('it took longer than a minute');
    await delay(50);
  }
  const token = (await readFile(join(env.DATA_DIR, 'first-key'), 'utf8')).trim();
  const client = { ...env, PHOTO_SERVICE_URL: url, PHOTO_SERVICE_TOKEN: token };
  const { status, stderr } = spawnSync(process.execPath, [program, 'demo'], { env: client, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const cookies = await enter();
  await still('library', 'light', cookies);
  await still('viewer', 'dark', cookies, async (page) => {
    await page.locator('.grid > li a').nth(6).click();
    await page.keyboard.press('i');
  });
  await record(cookies);
} finally {
  await browser.close();
  service.kill();
  await ended;
  rmSync(folder, { recursive: true });
}

/** Signs the first owner in. Returns the cookies. */
async function enter() {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  await page.goto((await readFile(join(env.DATA_DIR, 'first-link'), 'utf8')).trim());
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('anna@example.com');
  await page.getByLabel('password').fill('five calm words of mine');
  await page.locator('form button[type="submit"]').click();
  await page.waitForURL('**/settings/library');
  const { cookies } = await context.storageState();
  await context.close();
  return cookies;
}

async function open(colorScheme, cookies) {
  const context = await browser.newContext({ viewport: size, colorScheme });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(`${url}/settings/library`);
  await settled(page);
  return page;
}

/** All pictures in view are there. */
async function settled(page) {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() =>
    [...document.images].every(
      ({ complete, naturalWidth, loading }) => loading === 'lazy' || (complete && naturalWidth > 0),
    ),
  );
  await delay(400);
}

async function still(name, colorScheme, cookies, prepare = async () => {}) {
  const page = await open(colorScheme, cookies);
  await prepare(page);
  await settled(page);
  const png = await page.screenshot();
  await sharp(png)
    .webp({ quality: 82 })
    .toFile(join(target, `${name}-${colorScheme}.webp`));
  await page.context().close();
}

/** Scrolling, photos one after another, their details, and the map, as an animated picture. */
async function record(cookies) {
  const page = await open('light', cookies);
  const frames = [];
  const take = async (ms) => {
    const picture = await sharp(await page.screenshot())
      .resize({ width: FRAME_WIDTH })
      .png()
      .toBuffer();
    frames.push({ picture, ms });
  };
  await take(CALM_MS);
  for (let step = 0; step < 8; step += 1) {
    await page.mouse.wheel(0, 90);
    await settled(page);
    await take(QUICK_MS);
  }
  await take(CALM_MS);
  await page.locator('.grid > li a').nth(18).click();
  for (const key of ['', 'ArrowRight', 'ArrowRight', 'i', 'Escape']) {
    if (key !== '') await page.keyboard.press(key);
    await settled(page);
    await take(CALM_MS);
  }
  await page.goto(`${url}/settings/map`);
  await settled(page);
  await take(CALM_MS);
  await sharp(
    frames.map(({ picture }) => picture),
    { join: { animated: true } },
  )
    .webp({ quality: 60, effort: 6, delay: frames.map(({ ms }) => ms), loop: 0 })
    .toFile(join(target, 'tour.webp'));
}
