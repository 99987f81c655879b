/* @slow */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { Upload } from 'tus-js-client';
import { type Client, sha256 } from '../e2e/support/client.js';
import { photoNamed } from '../e2e/support/life.js';
import { until } from '../e2e/support/processes.js';
import { freePort, Installation } from '../e2e/support/service.js';
import { collectGarbage, expectSound } from '../e2e/support/sound.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { launchBrowser, session, welcome } from './support/browser.js';
import { Daemon } from './support/daemon.js';
import { program } from './support/programs.js';
import { startTopology, type Topology } from './support/topology.js';

const MIB = 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), 'phs-resumable-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A picture of so many bytes: what comes after its end no decoder looks at. */
function largePhoto(name: string, bytes: number): Uint8Array {
  const large = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 4096) large[at] = at / 4096;
  large.set(photoNamed(name));
  return large;
}

async function registered(client: Client, bytes: Uint8Array) {
  const { body } = await client.post('/imports');
  const photo = { filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) };
  const { data } = (await client.post(`/imports/${body.id}/photos`, { photos: [photo] })).body;
  return { importId: body.id as number, path: new URL(data[0].photo.upload.url).pathname };
}

async function expectImported(client: Client, importId: number, bytes: Uint8Array): Promise<void> {
  await client.post(`/imports/${importId}/finalize`);
  const ended = await until('the import to end', async () => {
    const { body } = await client.get(`/imports/${importId}?include=photos`);
    return body.status === 'processing' ? false : body;
  });
  expect(ended.photos.data).toMatchObject([{ status: 'imported', error: null }]);
  expect(sha256(await client.bytes(`/photos/${ended.photos.data[0].photoId}/download`))).toBe(sha256(bytes));
}

function sendByClient(url: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const retryDelays = [0, 100, 500, 1000, 1000, 1000];
    const upload = new Upload(Buffer.from(bytes), {
      uploadUrl: url,
      retryDelays,
      onSuccess: () => resolve(),
      onError: reject,
    });
    upload.start();
  });
}

describe('two nodes on a bucket', () => {
  let topology: Topology;
  beforeAll(async () => {
    topology = await startTopology();
  });
  afterAll(() => topology?.stop());

  it('tus-js-client brings a file over a connection that is cut every 5 MB, whichever node it meets', async () => {
    const client = (await topology.key()).at(topology.url);
    const bytes = largePhoto('two nodes', 30 * MIB);
    const { importId, path } = await registered(client, bytes);
    const proxy = await CuttingProxy.before(topology.url, { afterBytes: 5_000_000, bytesPerSecond: 10_000_000 });
    try {
      await sendByClient(`${proxy.url}${path}`, bytes);
    } finally {
      await proxy.close();
    }
    expect(proxy.cuts).toBeGreaterThanOrEqual(6);
    // What was under way at a cut is sent again: on a busy machine some hundred kilobytes of the 5 MB.
    expect(proxy.received).toBeLessThan(1.1 * bytes.length);
    await expectImported(client, importId, bytes);
  });

  it('a node that is killed costs at most one part, and another goes on', async () => {
    const client = (await topology.key()).at(topology.url);
    const bytes = largePhoto('killed node', 40 * MIB);
    const { importId, path } = await registered(client, bytes);
    const [first, second] = topology.apis;
    const proxy = await CuttingProxy.before(first.url, { afterBytes: null });
    const killed = sendByClient(`${proxy.url}${path}`, bytes).catch(() => undefined);
    await until('half of it to be on its way', () => proxy.received > 20 * MIB);
    const sent = proxy.received;
    await first.killEverything();
    await proxy.close();
    await killed;
    const asked = await fetch(`${second.url}${path}`, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } });
    expect(Number(asked.headers.get('Upload-Offset'))).toBeGreaterThan(sent - 24 * MIB);
    await sendByClient(`${second.url}${path}`, bytes);
    await first.start();
    await expectImported(client, importId, bytes);
  });
});

describe('nginx in front', () => {
  let installation: Installation;
  let nginx: Daemon;
  let front: string;
  beforeAll(async () => {
    const port = await freePort();
    front = `http://127.0.0.1:${port}`;
    installation = await Installation.make({ PUBLIC_URL: front });
    await installation.start();
    const configuration = readFileSync(join(__dirname, '../../docker/nginx.conf'), 'utf8')
      .replace('user photo-service;', process.getuid?.() === 0 ? 'user root;' : '')
      .replace('server 127.0.0.1:3000;', `server 127.0.0.1:${installation.port};`)
      .replace('listen 8080;', `listen 127.0.0.1:${port};`)
      .replaceAll('/var/cache/nginx/photo-service', join(folder, 'cache'));
    writeFileSync(join(folder, 'nginx.conf'), configuration);
    const command = [program('nginx', 'nginx-light'), '-p', folder, '-c', 'nginx.conf', '-e', 'error.log'] as const;
    nginx = Daemon.start([...command, '-g', 'daemon off; pid nginx.pid;'], join(folder, 'nginx.out'));
    await until('nginx to pass requests on', () =>
      fetch(`${front}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });
  afterAll(async () => {
    await nginx?.stop();
    await installation?.remove();
  });

  it('nginx passes bytes on before the rest has arrived', async () => {
    const client = await installation.client();
    const bytes = largePhoto('through nginx', 30 * MIB);
    const { importId, path } = await registered(client, bytes);
    const proxy = await CuttingProxy.before(front, { afterBytes: 5_000_000, bytesPerSecond: 10_000_000 });
    try {
      await sendByClient(`${proxy.url}${path}`, bytes);
    } finally {
      await proxy.close();
    }
    expect(proxy.received).toBeLessThan(1.02 * bytes.length);
    await expectImported(client, importId, bytes);
  });
});

describe('in a browser', () => {
  const size = 100_000_000;
  let installation: Installation;
  let browser: Browser;
  let proxy: CuttingProxy;
  let site: { readonly url: string; close(): void };
  const cutting: { afterBytes: number | null } = { afterBytes: null };
  beforeAll(async () => {
    installation = await Installation.make({ MAX_FILE_BYTES: String(200 * MIB) });
    proxy = await CuttingProxy.before(installation.url, cutting);
    await installation.start({ PUBLIC_URL: proxy.url });
    browser = await launchBrowser();
    site = await openSite();
  });
  afterAll(async () => {
    site?.close();
    await browser?.close();
    await proxy?.close();
    await installation?.remove();
  });
  beforeEach(() => {
    proxy.received = 0;
    proxy.cuts = 0;
  });
  afterEach(() => {
    cutting.afterBytes = null;
  });

  it('the importer brings 100 MB over a connection that is cut every 5 MB, and sends at most 2 % twice', async () => {
    const { page, context } = await session(browser);
    await page.goto(installation.link() ?? '');
    await welcome(page, 'anna@example.com');
    await page.waitForURL('**/settings/library');
    await page.goto(`${proxy.url}/settings/import`);
    const bytes = largePhoto('by a browser', size);
    const file = join(folder, 'large.jpg');
    writeFileSync(file, bytes);
    cutting.afterBytes = 5_000_000;
    proxy.received = 0;
    await page.locator('#import-files').setInputFiles(file);
    await page.locator('[data-run="details"]').waitFor({ timeout: 240_000 });
    expect(await page.locator('[data-run="summary"]').textContent()).toBe('1 photo imported.');
    // Requests are short at first, and then longer than connections last.
    expect(proxy.cuts).toBeGreaterThanOrEqual(3);
    expect(proxy.received).toBeLessThan(1.02 * size);
    const { body } = await (await installation.client()).get(`/photos?sha256=${sha256(bytes)}`);
    expect(body.data).toMatchObject([{ filename: 'large.jpg', sizeBytes: size }]);
    await context.close();
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
  });

  it('Uppy brings a file from a page of another origin, over the same connection', async () => {
    const client = await installation.client();
    const bytes = largePhoto('by Uppy', 30 * MIB);
    const { importId, path } = await registered(client, bytes);
    const { page, complaints, context } = await session(browser);
    await page.goto(site.url);
    await page.addScriptTag({ content: await uppyBundle() });
    const file = join(folder, 'uppy.jpg');
    writeFileSync(file, bytes);
    await page.locator('input').setInputFiles(file);
    cutting.afterBytes = 5_000_000;
    const outcome = await page.evaluate(async (uploadUrl) => {
      // biome-ignore lint/suspicious/noExplicitAny: what the script above left on the page.
      const { Uppy, Tus } = (globalThis as any).uploaders;
      const uppy = new Uppy().use(Tus, { uploadUrl, retryDelays: [0, 100, 500, 1000, 1000, 1000] });
      const [chosen] = document.querySelector('input')?.files ?? [];
      uppy.addFile({ name: 'uppy.jpg', type: 'image/jpeg', data: chosen });
      const { successful, failed } = await uppy.upload();
      return { successful: successful.length, failed: failed.map((each: { error: string }) => each.error) };
    }, `${proxy.url}${path}`);
    expect(outcome).toEqual({ successful: 1, failed: [] });
    expect(proxy.cuts).toBeGreaterThanOrEqual(6);
    expect(proxy.received).toBeLessThan(1.05 * bytes.length);
    await expectImported(client, importId, bytes);
    expect(complaints.filter((each) => !each.includes('net::ERR'))).toEqual([]);
    await context.close();
  });
});

/** Somebody's page, of an origin of its own. */
async function openSite(): Promise<{ url: string; close(): void }> {
  const page = '<!doctype html><title>Uppy</title><input type="file">';
  const server = createServer((_, response) => void response.setHeader('Content-Type', 'text/html').end(page));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}

/** As a site would build it. */
async function uppyBundle(): Promise<string> {
  const entry = join(__dirname, 'uppy-entry.js');
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id: string) => (id === entry ? id : null),
        load: (id: string) =>
          id === entry
            ? `import Uppy from '@uppy/core'; import Tus from '@uppy/tus'; globalThis.uploaders = { Uppy, Tus };`
            : null,
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}
