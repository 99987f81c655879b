import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Id } from '../../src/core/shared/ids.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'editor', `m.${actor.customerId}@example.com`);
});

const add = async (name: string, latitude: number, longitude: number, values = {}): Promise<Id> => {
  const [photo] = await importPhotos(app, actor, [
    { filename: `${name}.jpg`, content: picture(`${name} ${actor.customerId}`) },
  ]);
  await actor.patch(`/photos/${photo.id}`, { location: { latitude, longitude, altitude: null }, ...values });
  return photo.id;
};
const page = async (query = '') => (await browser.get(`/settings/map${query}`)).text;
const clusters = (html: string) =>
  [...html.matchAll(/<a href="([^"]*)" aria-label="([^"]*)" data-photos/g)].map(([, path, label]) => [label, path]);

test.each([
  ['map', 'generate/world-map.js', 'assets/map/world.svg'],
  ['icons', 'generate/icons.js', 'icon-shapes.ts'],
])('the shapes of the %s are those of the package that is installed', (_, script, file) => {
  const path = join(__dirname, '../../bin', script);
  const written = execFileSync(process.execPath, [path, '--print'], { encoding: 'utf8', maxBuffer: 2 ** 22 });
  const stored = readFileSync(join(__dirname, '../../src/pages', file), 'utf8');
  expect(stored === written).toBe(true);
});

test('pictures of a tile server are shown below the photos, if the operator names one, and nothing else comes from there', async () => {
  const other = await startApp({
    mapTiles: { url: 'https://tiles.example.com/{z}/{x}/{y}.png', attribution: '© <Maps>' },
  });
  try {
    const { customerId } = await other.customer('Elsewhere');
    const there = new BrowserClient(other.url);
    await there.enter(other.ports, customerId, 'viewer', 'm@example.com');
    const { text, headers } = await there.get('/settings/map?box=179,-10,-179,-9');
    const tiles = [...text.matchAll(/<image href="([^"]+)" x="([^"]+)"/g)].map(([, url, x]) => [url, Number(x)]);
    // Across 180° the numbers begin again, and the places go on.
    expect(tiles).toContainEqual(['https://tiles.example.com/10/1023/537.png', 8991.2109375]);
    expect(tiles).toContainEqual(['https://tiles.example.com/10/0/537.png', 9000]);
    expect(tiles.length).toBeLessThan(80);
    expect(text).toContain('Map: © &lt;Maps>.');
    const policy = String(headers['content-security-policy']).split('; ');
    const naming = policy.filter((rule) => rule.includes('tiles.example.com')).map((rule) => rule.split(' ')[0]);
    expect(naming).toEqual(['img-src']);
    // The library has the map of a photo in its viewer.
    const policies = await Promise.all(
      ['library', 'tags'].map(
        async (area) => (await there.get(`/settings/${area}`)).headers['content-security-policy'],
      ),
    );
    expect(policies.map((each) => String(each).includes('tiles.example.com'))).toEqual([true, false]);
  } finally {
    await other.close();
  }
  const { text, headers } = await browser.get('/settings/map');
  expect([text.includes('<image'), String(headers['content-security-policy']).includes('https:')]).toEqual([
    false,
    false,
  ]);
});

test('a map without photos says how they get a place', async () => {
  const html = await page();
  expect(html).toContain('No photo has a location yet');
  // Wherever the map is moved.
  expect(await page('?box=100,0,101,1')).toContain('No photo has a location yet');
  expect(html).toMatch(/<use class="land" href="\/settings\/assets\/[0-9a-f]+\/map\/world\.svg#land"/);
  expect(html).not.toMatch(/<style| style=|<script(?! type="module" src)/);
});

test('clusters of a map zoom in, single photos lead to their page, and a table has the same in words', async () => {
  await add('a', 48.8584, 2.2945);
  await add('b', 48.86, 2.33);
  const alone = await add('c', -18.1, 178.4, { title: '<b>Fiji</b> & "more"' });
  const html = await page();
  expect(clusters(html)).toEqual([
    [
      '2 photos, Paris, Île-de-France, France',
      expect.stringMatching(/^\/settings\/map\?box=2\.2\d*,48\.85\d*,2\.3\d*,48\.86\d*$/),
    ],
    [expect.stringMatching(/^&lt;b>Fiji&lt;\/b> &amp; &quot;more&quot;, .*Fiji$/), `/settings/photos/${alone}`],
  ]);
  expect(html).toMatch(/2 places.* as a list/s);
  const [library = ''] = /\/settings\/library\?box=[^"]*/.exec(/<table>.*<\/table>/s.exec(html)?.[0] ?? '') ?? [];
  expect((await browser.get(library)).text.match(/<li id="photo-/g)).toHaveLength(2);
});

test('the box of a map shows its photos, and links to the library and to what is around', async () => {
  await add('a', 48.8584, 2.2945);
  await add('b', 40.4, -3.7);
  const html = await page('?box=2,48,3,49');
  expect(clusters(html)).toHaveLength(1);
  expect(html).toContain('href="/settings/library?box=2,48,3,49" data-map="library"');
  expect(html).toContain('href="/settings/map?box=1.5,47.5,3.5,49.5" data-map="out"');
  expect(await page('?box=100,0,101,1')).toContain('No photos were taken here');
  expect(await page('?box=1,2')).toContain('The area must be four numbers');
});

test('a map shows no photos of the trash, nor of another customer', async () => {
  const id = await add('a', 48.8584, 2.2945);
  const other = new BrowserClient(app.url);
  const { customerId } = await app.customer('Studio South');
  await other.enter(app.ports, customerId, 'editor', `m.${customerId}@example.com`);
  expect(clusters((await other.get('/settings/map')).text)).toEqual([]);
  await actor.delete(`/photos/${id}`);
  expect(clusters(await page())).toEqual([]);
});
