import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createShare } from '../../src/core/shares/own-shares.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { type FilePart, importPhotos, multipart, sha256 } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { type OpenMedia, openMedia } from '../support/media.js';
import { present } from '../support/tenant.js';

/** Visitors of a share, who have no account, against the reader of real files. */
let media: OpenMedia;
let app: RunningApp;
let actor: Actor;
let visitor: BrowserClient;
let path: string;

beforeAll(async () => {
  media = await openMedia();
  app = await startApp({ ports: () => ({ media: media.reader }) });
});
afterAll(async () => {
  await app.close();
  await media.close();
});
beforeEach(async () => {
  actor = await app.customer('Studio North');
  visitor = new BrowserClient(app.url);
  const [own] = await importPhotos(app, actor, [{ filename: 'own.jpg', content: file('silver-fir.jpg') }]);
  const settings = { title: 'Wedding', mayDownload: true, expiresAt: null, password: null, photoIds: [own.id] };
  const limits = { uploadFilesLimit: 100, uploadBytesLimit: 50_000_000 };
  path = `/s/${(await createShare(app.ports, operatorFor(actor.customerId), { ...settings, ...limits })).token}`;
});

const file = (name: string) => readFileSync(join(__dirname, '../fixtures/photos', name));
const cyclamen = file('cyclamen.jpg');

async function upload(files: readonly FilePart[]): Promise<string> {
  const { body, type } = multipart(files);
  const answer = await visitor.send({
    method: 'POST',
    path: `${path}/upload`,
    body,
    headers: { 'content-type': type },
  });
  expect(answer.status).toBe(200);
  await app.work();
  return answer.text;
}
const library = async (): Promise<{ filename: string; sha256: string; importId: number }[]> =>
  (await actor.get('/photos?sort=id')).body.data;

test('a file that is no picture, lies about its size or contains scripts is refused, also under the name of a picture', async () => {
  const names = [
    ...['bomb-huge-canvas.gif', 'made-declares-60000x60000.jpg', 'zero-width.gif', 'made-zero-byte.jpg'],
    ...['html-script.html', 'svg-with-script.svg', 'made-text-renamed.jpg'],
  ];
  const hostile = names.flatMap((name) => [
    { filename: name, content: file(name) },
    // Each differs from what it was before.
    { filename: `${name}.jpg`, type: 'image/jpeg', content: Buffer.concat([file(name), Buffer.from('\n')]) },
  ]);
  await upload([...hostile, { filename: 'good.jpg', content: cyclamen }]);
  const photos = await library();
  expect(photos.map(({ filename }) => filename)).toEqual(['own.jpg', 'good.jpg']);
  const { body } = await actor.get(`/imports/${present(photos[1]).importId}?include=photos`);
  expect(body.counts).toMatchObject({ imported: 1, failed: hostile.length });
  // None of it is shown to others.
  const shown = await visitor.get(`${path}/photos.json`, { accept: 'application/json' });
  expect(shown.body.data).toHaveLength(1);
});

test('file names that are paths, markup or endless are stored as plain names', async () => {
  const names = [
    ...['../../../../etc/passwd.jpg', '..\\..\\boot.jpg', '/etc/shadow.jpg', 'C:\\CON.jpg', '..', '.'],
    ...['<script>alert(1)</script>.jpg', '"><img src=x onerror=alert(1)>.jpg', 'gpj.\u202eexe', '=1+1.jpg'],
    ...[`${'x'.repeat(4000)}.jpg`, '%2e%2e%2f.jpg', '{{7*7}}.jpg', '\u0007bell.jpg'],
  ];
  const said = await upload(
    names.map((filename, at) => ({ filename, content: Buffer.concat([cyclamen, Buffer.from([at])]) })),
  );
  expect(said).not.toMatch(/<script>alert|<img src=x/);
  const added = (await library()).slice(1);
  expect(added.length).toBeGreaterThan(5);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there.
  const wrong = added.filter(({ filename }) => /[/\\\u0000-\u001f]/.test(filename) || filename.length > 255);
  expect(wrong).toEqual([]);
  const owner = new BrowserClient(app.url);
  await owner.enter(app.ports, actor.customerId, 'owner');
  for (const page of [`/settings/imports/${added[0]?.importId}`, '/settings/library']) {
    expect((await owner.get(page)).text).not.toMatch(/<script>alert|<img src=x/);
  }
});

test('a file that another decoder could execute is stored unchanged, and no browser opens it as a page', async () => {
  const polyglot = Buffer.concat([cyclamen, Buffer.from('<!doctype html><script>alert(1)</script>')]);
  await upload([{ filename: 'page.html', type: 'text/html', content: polyglot }]);
  const [, added] = await library();
  expect(added?.sha256).toBe(sha256(polyglot));
  const owner = new BrowserClient(app.url);
  await owner.enter(app.ports, actor.customerId, 'owner');
  const id = (await actor.get('/photos?sort=id')).body.data[1].id;
  const { headers, bytes } = await owner.get(`/settings/photos/${id}/original`);
  expect([headers['content-type'], headers['x-content-type-options']]).toEqual(['image/jpeg', 'nosniff']);
  expect(headers['content-disposition']).toMatch(/^attachment;/);
  expect(headers['content-security-policy']).toContain('sandbox');
  expect(bytes.equals(polyglot)).toBe(true);
});
