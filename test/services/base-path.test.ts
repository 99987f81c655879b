/* @slow */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { PhotoService } from '../../sdk/src/entry.js';
import { importFiles } from '../../sdk/src/node/entry.js';
import { until } from '../e2e/support/processes.js';
import { freePort, Installation } from '../e2e/support/service.js';
import { ImageSigner } from '../e2e/support/signed-image.js';
import { present } from '../support/tenant.js';
import { launchBrowser, PASSWORD, session, welcome } from './support/browser.js';
import { Daemon } from './support/daemon.js';
import { program } from './support/programs.js';

const fixture = (name: string) => join(__dirname, '../fixtures/photos', name);
const EMAIL = 'anna@example.com';

let folder: string;
let port: number;
let site: string;
let installation: Installation;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'base-path-'));
  port = await freePort();
  site = `http://localhost:${port}/photos`;
  installation = await Installation.make({ PUBLIC_URL: site, TRUSTED_PROXIES: '127.0.0.1' });
  await installation.start();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const user = () => (process.getuid?.() === 0 ? 'user root;' : '');

/** The location of docs/operations.md, in a server that has nothing else. @param end Of the address of the service. */
function documented(end: string): string {
  const guide = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  const location = present(/```nginx\n(location \/photos\/ \{[\s\S]*?)```/.exec(guide)?.[1]);
  const ours = replaced(location, ['127.0.0.1:3000;', `127.0.0.1:${installation.port}${end};`]);
  const server = `server { listen 127.0.0.1:${port}; ${ours} }`;
  return `${user()} events {} http { access_log off; client_body_temp_path body; proxy_temp_path proxy; ${server} }`;
}

/** docker/nginx.conf, with the path in the places that docs/operations.md names. */
function example(): string {
  return replaced(
    readFileSync(join(__dirname, '../../docker/nginx.conf'), 'utf8'),
    ['user photo-service;', user()],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['server 127.0.0.1:3000;', `server 127.0.0.1:${installation.port};`],
    ['/var/cache/nginx/photo-service', `${folder}/cache`],
    ['"~^/img/"', '"~^/photos/img/"'],
    ['location ~ ^/(img|renditions)/', 'location ~ ^/photos/(img|renditions)/'],
    ['location / {', 'location /photos/ {'],
  );
}

function replaced(text: string, ...places: readonly (readonly [string, string])[]): string {
  return places.reduce((before, [from, to]) => {
    expect(before.split(from)).toHaveLength(2);
    return before.replace(from, to);
  }, text);
}

describe.each([
  ['leaves the path as it is', () => documented(''), 'notocactus.jpg', 'cyclamen.jpg'],
  ['removes the path', () => documented('/'), 'silver-fir.jpg', 'el-torcal-rocks.jpg'],
  ['keeps images', example, 'iphone7-gps.heic', 'orientation-portrait-6.jpg'],
] as const)('an nginx that %s', (behaviour, configuration, name, another) => {
  let nginx: Daemon;
  beforeAll(async () => {
    writeFileSync(join(folder, 'nginx.conf'), configuration());
    const command = [program('nginx', 'nginx-light'), '-p', folder, '-c', 'nginx.conf', '-e', 'error.log'] as const;
    nginx = Daemon.start([...command, '-g', 'daemon off; pid nginx.pid;'], join(folder, 'nginx.out'));
    await until('nginx to pass requests on', () =>
      fetch(`${site}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });
  afterAll(() => nginx?.stop());

  test('programs import, download and show signed images through it', async () => {
    const client = new PhotoService({ baseUrl: site, token: present(installation.token()) });
    expect((await importFiles(client, [fixture(name)])).imported).toBe(1);
    const [photo] = (await client.photos.list({ sort: '-createdAt', limit: 1 }).pages().next()).value?.data ?? [];
    const { id } = present(photo);
    const bytes = await (await client.photos.download(id)).bytes();
    expect(Buffer.from(bytes).equals(readFileSync(fixture(name)))).toBe(true);
    const signer = await ImageSigner.of(installation);
    const address = `${site}${signer.path(id, 'w=200,h=100,fit=cover')}`;
    for (const Accept of ['image/webp', 'image/webp', 'image/avif']) {
      const image = await fetch(address, { headers: { Accept } });
      expect([image.status, image.headers.get('content-type')]).toEqual([200, Accept]);
    }
  });

  test('a person signs in, adds a photo, looks at it and shares it, and all that the browser asks for is below the path', async () => {
    const { page, context, complaints } = await session(browser);
    const asked: string[] = [];
    const failed: string[] = [];
    context.on('request', (request) => asked.push(request.url()));
    context.on('response', (answer) => {
      if (answer.status() >= 400) failed.push(`${answer.status()} ${answer.url()}`);
    });
    if (behaviour === 'leaves the path as it is') {
      await page.goto(present(installation.link()));
      await welcome(page, EMAIL);
    } else {
      await page.goto(`${site}/settings/import`);
      await page.getByLabel('E-mail address').fill(EMAIL);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.locator('form:has(input[name="password"]) button[type="submit"]').click();
      await page.waitForURL(`${site}/settings/import`);
    }
    await page.getByRole('navigation', { name: 'Settings' }).waitFor();
    await page.goto(`${site}/settings/import`);
    await page.locator('#import-files').setInputFiles([fixture(another)]);
    await page.locator('[data-run="details"]').waitFor();
    expect(await page.locator('[data-run="summary"]').textContent()).toContain('1 photo imported.');
    await page.locator('[data-run="show"]').click();
    const tile = page.locator('.grid > li a').first();
    await tile.click();
    await page.waitForURL(`${site}/settings/photos/**`);
    await until('the picture to be there', () =>
      page.evaluate(() =>
        [...document.images].some(
          ({ currentSrc, naturalWidth }) => currentSrc.includes('/renditions/') && naturalWidth > 0,
        ),
      ),
    );
    const id = present(/\/photos\/(\d+)/.exec(new URL(page.url()).pathname.replace('/photos', ''))?.[1]);
    await page.goto(`${site}/settings/map`);
    await page.goto(`${site}/settings/tags`);
    await page.goto(`${site}/settings/shares/new?photos=${id}`);
    await page.getByLabel('Title').fill('A share');
    await page.getByRole('button', { name: 'Create share' }).click();
    const link = page
      .locator('code, input[readonly], pre')
      .filter({ hasText: `${site}/s/` })
      .first();
    const address = present(/http:\/\/localhost:\d+\/photos\/s\/[\w-]+/.exec((await link.textContent()) ?? '')?.[0]);
    await page.goto(address);
    await page.locator('.gallery a').first().click();
    await page.locator('.viewer img').waitFor();
    await page.goto(`${site}/docs`);
    await page.getByRole('searchbox', { name: 'Search' }).fill('rate_limited');
    await page.locator('#results a').first().click();
    await page.waitForURL(`${site}/docs/**`);
    expect(asked.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${site}/`))).toEqual([]);
    expect([failed, complaints]).toEqual([[], []]);
    const cookies = await context.cookies();
    expect(cookies.map(({ path }) => path)).toEqual(cookies.map(() => '/photos'));
    await context.close();
  });
});
