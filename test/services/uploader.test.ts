import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { signUpBackend } from '../../examples/sign-up-backend/server.js';
import { photoNamed } from '../e2e/support/life.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { seriousViolations } from './support/axe.js';
import { launchBrowser, session } from './support/browser.js';

/** Where pictures go, when somebody wants to look at them. */
const shots = process.env.SCREENSHOTS ?? null;
const MIB = 1024 ** 2;
const root = join(__dirname, '../..');

let installation: Installation;
let proxy: CuttingProxy;
/** The backend, and the pages of a test. */
let site: Server;
let pages: Record<string, { readonly type: string; readonly body: string }> = {};
let origin: string;
let browser: Browser;
/** What the way to the service does. */
const way = { afterBytes: null as number | null, bytesPerSecond: 20_000_000 };

beforeAll(async () => {
  const made = await Installation.make();
  proxy = await CuttingProxy.before(made.url, way);
  installation = made.with({ OPERATOR_API: 'on', PUBLIC_URL: proxy.url, WEBHOOK_ALLOW_PRIVATE: 'true' });
  await installation.start();
  const scopes = ['--scopes', 'customers:write,keys:write'];
  const { token } = JSON.parse(
    installation.phs('operator-token', 'create', '--name', 'sign-up', ...scopes, '--json').stdout,
  );
  const hooks = 'http://127.0.0.1:9/hooks';
  const backend = signUpBackend({ baseUrl: installation.url, operatorToken: token, webhookUrl: hooks });
  site = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (page === undefined) backend.emit('request', request, response);
    else response.writeHead(200, { 'content-type': page.type, 'content-security-policy': policy() }).end(page.body);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => (site ? site.close(resolve) : resolve(null)));
  await proxy?.close();
  await installation?.remove();
});
beforeEach(() => {
  way.afterBytes = null;
});

const element =
  '<main><h1>Add photos</h1><photo-upload uploads-url="/uploads" finish-url="/finish"></photo-upload></main>';

const policy = () => `default-src 'none'; script-src 'self'; connect-src 'self' ${proxy.url}`;

/** A page of the backend, under a strict policy, for somebody who has just signed up. */
async function open(body: string, script: string, colorScheme: 'light' | 'dark' = 'light') {
  const opened = await session(browser, { colorScheme, width: 700, height: 620 });
  const { page, context } = opened;
  const head = '<meta charset="utf-8"><title>Add photos</title><meta name="color-scheme" content="light dark">';
  const html = `<!doctype html><html lang="en">${head}<script type="module" src="/script.js"></script>${body}`;
  pages = { '/': { type: 'text/html', body: html }, '/script.js': { type: 'text/javascript', body: script } };
  const signedUp = await context.request.post(`${origin}/sign-up`, { data: { name: 'Studio Anna' } });
  expect(signedUp.status()).toBe(201);
  await page.goto(origin);
  return opened;
}

const built = () => readFileSync(join(root, 'uploader/dist/photo-upload.js'), 'utf8');
const file = (name: string, bytes: Uint8Array) => ({ name, mimeType: 'image/jpeg', buffer: Buffer.from(bytes) });

/** A picture of so many bytes: what comes after its end no decoder looks at. */
function largePhoto(name: string, bytes: number): Uint8Array {
  const large = new Uint8Array(bytes);
  large.set(photoNamed(name));
  return large;
}

async function choose(page: Page, ...files: ReturnType<typeof file>[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose photos' }).press('Enter');
  await (await chooser).setFiles(files);
}

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const finished = (page: Page, text: string) =>
  page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' });

test('photos arrive although the connection breaks, and a file that is no photo fails alone', async () => {
  const { page, complaints, context } = await open(element, built());
  expect(await seriousViolations(page)).toEqual([]);
  const large = largePhoto('large', 12 * MIB);
  way.afterBytes = 5_000_000;
  const { cuts } = proxy;
  const offsets: number[] = [];
  page.on('request', (request) => offsets.push(Number(request.headers()['upload-offset'] ?? 0)));
  await choose(
    page,
    file('a.jpg', photoNamed('a')),
    file('large.jpg', large),
    file('notes.jpg', Buffer.from('no picture')),
  );
  await until('the connection to break', () => proxy.cuts > cuts);
  way.afterBytes = null;
  await finished(page, '2 photos uploaded, 1 failed');
  // It went on behind what had arrived. How much that was depends on when the service noticed that the connection was gone.
  expect(Math.max(...offsets)).toBeGreaterThan(0);
  expect(await row(page, 'large.jpg').innerText()).toContain('Uploaded');
  expect(await row(page, 'notes.jpg').innerText()).toMatch(/Failed: .*(image|picture)/i);
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'uploader-light.png') });
  // The browser says of each connection that it broke, and of an offset that was asked for while the service still wrote what had arrived.
  expect(complaints.filter((text) => !/ERR_|409 \(Conflict\)/.test(text))).toEqual([]);
  await context.close();
});

test('failed files are retried by keyboard; the focus stays in the element, and dark colours are as readable', async () => {
  const { page, context } = await open(element, built(), 'dark');
  let failures = 1;
  await page.route(`${origin}/uploads`, (route) => {
    failures -= 1;
    return failures < 0
      ? route.fallback()
      : route.fulfill({ status: 500, json: { message: 'The server is being repaired.' } });
  });
  await choose(page, file('a.jpg', photoNamed('again')));
  await finished(page, '0 photos uploaded, 1 failed');
  expect(await row(page, 'a.jpg').innerText()).toContain('Failed: The server is being repaired.');
  expect(await seriousViolations(page)).toEqual([]);
  if (shots !== null) await page.screenshot({ path: join(shots, 'uploader-dark.png') });
  await page.getByRole('button', { name: 'Try again a.jpg' }).press('Enter');
  await finished(page, '1 photo uploaded');
  expect(await page.evaluate('document.activeElement.localName')).toBe('photo-upload');
  expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.textContent')).toBe('Choose photos');
  await context.close();
});

test('uploads continue where they were when the same files are chosen after a reload', async () => {
  const { page, context } = await open(element, built());
  page.on('dialog', (dialog) => dialog.accept());
  const large = largePhoto('reloaded', 20 * MIB);
  way.afterBytes = 12_000_000;
  const { cuts, received } = proxy;
  await choose(page, file('large.jpg', large));
  await until('the connection to break', () => proxy.cuts > cuts);
  await page.reload();
  way.afterBytes = null;
  await choose(page, file('large.jpg', large));
  await finished(page, '1 photo uploaded');
  expect(proxy.received - received).toBeLessThan(1.5 * large.length);
  await context.close();
});

test('photos are dropped, a second copy is not sent, and a page can follow it all', async () => {
  const { page, context } = await open(element, built());
  const bytes = Buffer.from(photoNamed('dropped')).toString('base64');
  const events = await page.evaluate(`new Promise((resolve) => {
    const element = document.querySelector('photo-upload');
    const seen = [];
    for (const type of ['upload-start', 'upload-file', 'upload-finish']) {
      document.addEventListener(type, ({ detail: { status, file, error, ...others } }) => {
        seen.push([type, status ?? null]);
        if (type === 'upload-finish') resolve([...seen, others]);
      });
    }
    const bytes = Uint8Array.from(atob('${bytes}'), (char) => char.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    for (const name of ['one.jpg', 'two.jpg']) dataTransfer.items.add(new File([bytes], name, { type: 'image/jpeg' }));
    const zone = element.shadowRoot.querySelector('[part~=zone]');
    zone.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  })`);
  expect(events).toEqual([
    ['upload-start', null],
    ['upload-file', 'known'],
    ['upload-file', 'uploaded'],
    ['upload-finish', null],
    { importId: expect.any(Number), uploaded: 1, known: 1, failed: 0 },
  ]);
  await context.close();
});

test('unreadable files of a drop fail, and the others are uploaded', async () => {
  const { page, context } = await open(element, built());
  const bytes = Buffer.from(photoNamed('beside what cannot be read')).toString('base64');
  const ends = await page.evaluate(`new Promise((resolve) => {
    const element = document.querySelector('photo-upload');
    const ends = [];
    document.addEventListener('upload-file', ({ detail: { status, file, error } }) => {
      ends.push([file.name, status, error?.code ?? null]);
    });
    document.addEventListener('upload-finish', () => {
      const summary = element.shadowRoot.querySelector('[role=status]').textContent;
      resolve([...ends.sort(), summary]);
    });
    const photo = new File([Uint8Array.from(atob('${bytes}'), (char) => char.charCodeAt(0))], 'here.jpg');
    const refuse = (_, fail) => fail(new DOMException('', 'NotReadableError'));
    const entries = [
      { name: 'gone.jpg', isFile: true, file: refuse },
      { name: 'locked', isFile: false, createReader: () => ({ readEntries: refuse }) },
      { name: 'here.jpg', isFile: true, file: (give) => give(photo) },
      { name: '@eaDir', isFile: false },
      { name: '.DS_Store', isFile: true },
    ];
    const dataTransfer = { files: [], items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })) };
    const zone = element.shadowRoot.querySelector('[part~=zone]');
    zone.dispatchEvent(Object.assign(new Event('drop', { cancelable: true }), { dataTransfer }));
  })`);
  expect(ends).toEqual([
    ['gone.jpg', 'failed', 'unreadable'],
    ['here.jpg', 'uploaded', null],
    ['locked', 'failed', 'unreadable'],
    '1 photo uploaded, 2 failed, 2 hidden or system files left out',
  ]);
  await context.close();
});

test('the example in React takes photos', async () => {
  const bundle = await rolldown({
    input: join(root, 'examples/react-uploader/app.tsx'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const { page, complaints, context } = await open('<div id="root"></div>', output[0].code);
  await choose(page, file('a.jpg', photoNamed('react')));
  await page.getByText('Thank you for a.jpg.').waitFor();
  await finished(page, '1 photo uploaded');
  expect(complaints).toEqual([]);
  await context.close();
});
