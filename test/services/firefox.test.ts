/* @slow */
import { join } from 'node:path';
import { PhotoService } from '../../sdk/src/entry.js';
import { importFiles } from '../../sdk/src/node/entry.js';
import { Installation } from '../e2e/support/service.js';
import { present } from '../support/tenant.js';
import { AXE, CONTRASTS, seriousOf, type Violation } from './support/axe.js';
import { PASSWORD } from './support/browser.js';
import { Firefox } from './support/firefox.js';

/** The main flows in the other engine; what every page and action does is shown with Chromium. */
let installation: Installation;
let firefox: Firefox;

beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  const client = new PhotoService({ baseUrl: installation.url, token: present(installation.token()) });
  const photos = ['el-torcal-rocks', 'cyclamen', 'silver-fir'].map((name) => {
    return join(__dirname, '../fixtures/photos', `${name}.jpg`);
  });
  await importFiles(client, photos);
  firefox = await Firefox.launch();
  await firefox.resize(1440, 900);
});
afterAll(async () => {
  await firefox?.close();
  await installation?.remove();
});
afterEach(() => expect(firefox.complaints).toEqual([]));

const open = (path: string) => firefox.goto(`${installation.url}${path}`);
const path = () => firefox.evaluate<string>('location.pathname');
const text = (selector: string) =>
  firefox.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);

test('a person enters by the first link, and sees the photos', async () => {
  await firefox.goto(present(installation.link()));
  await firefox.click('input[name="email"]');
  await firefox.type('anna@example.com');
  await firefox.click('input[type="password"]');
  await firefox.type(PASSWORD);
  await firefox.press('Enter');
  await firefox.wait(`location.pathname === '/settings/library'`);
  await firefox.wait(
    `[...document.querySelectorAll('.grid img')].filter((each) => each.naturalWidth > 0).length === 3`,
  );
  // The typeface is the one that the service sends.
  await firefox.wait(
    `document.fonts.check('1rem Inter') && [...document.fonts].some((each) => each.status === 'loaded')`,
  );
});

test('photos are chosen by keys and by the mouse, tagged in place, and the tag is taken back', async () => {
  await open('/settings/library');
  await firefox.wait(`document.querySelector('button[data-start-selecting]:not([hidden])')`);
  await firefox.evaluate(`document.querySelector('.grid a').focus()`);
  await firefox.press('x', 'ArrowRight', 'x');
  await firefox.wait(`document.querySelector('.selection .count').textContent === '2 photos selected'`);
  await firefox.click('.grid > li:nth-child(3) a, .sections section:last-child .grid > li:last-child a');
  await firefox.wait(`document.querySelector('.selection .count').textContent === '3 photos selected'`);
  await firefox.click('#selection-tag');
  await firefox.type('Spring');
  await firefox.press('Enter');
  await firefox.wait(`/3 photos/.test(document.querySelector('.toast')?.textContent)`);
  expect(await path()).toBe('/settings/library');
  await firefox.click('.toast button');
  await firefox.wait(`/Undone/.test(document.querySelector('.toast')?.textContent)`);
  await firefox.press('Escape');
});

test('the viewer opens, enlarges, leads on, and its panel saves a title', async () => {
  await open('/settings/library');
  await firefox.wait(`document.querySelector('button[data-start-selecting]:not([hidden])')`);
  await firefox.click('.grid > li a');
  await firefox.wait(`document.querySelector('dialog[data-photo-viewer]').open`);
  const first = await path();
  expect(first).toMatch(/^\/settings\/photos\/\d+$/);
  await firefox.press('+');
  await firefox.wait(`document.querySelector('.viewer-stage.zoomed')`);
  await firefox.press('0', 'ArrowRight');
  await firefox.wait(`location.pathname !== ${JSON.stringify(first)}`);
  await firefox.press('i');
  await firefox.click('.viewer-panel input[name="title"]');
  await firefox.type('In Firefox');
  await firefox.press('Enter');
  await firefox.wait(`document.querySelector('.viewer-panel h1')?.textContent === 'In Firefox'`);
  await firefox.evaluate('document.activeElement.blur()');
  await firefox.press('Escape');
  await firefox.wait(`!document.querySelector('dialog[data-photo-viewer]').open`);
  expect(await path()).toBe('/settings/library');
});

test('filters narrow the list in place, and Back restores the one before', async () => {
  await open('/settings/library');
  await firefox.wait(`document.querySelector('button[data-start-selecting]:not([hidden])')`);
  await firefox.click('#filter-q');
  await firefox.type('firefox');
  await firefox.press('Enter');
  await firefox.wait(`document.querySelectorAll('.grid > li').length === 1`);
  expect(await firefox.evaluate('location.search')).toContain('q=firefox');
  await firefox.evaluate('history.back()');
  await firefox.wait(`document.querySelectorAll('.grid > li').length === 3`);
});

test('a share is created from a choice, and a visitor sees its photos', async () => {
  await open('/settings/library');
  await firefox.wait(`document.querySelector('button[data-start-selecting]:not([hidden])')`);
  await firefox.evaluate(`document.querySelector('.grid a').focus()`);
  await firefox.press('x');
  await firefox.click('.selection button[value="share"]');
  await firefox.click('#field-title');
  await firefox.type('For Bert');
  await firefox.press('Enter');
  await firefox.wait(`document.querySelector('#link')`);
  await firefox.goto(await text('#link'));
  await firefox.wait(
    `[...document.querySelectorAll('.gallery img')].filter((each) => each.naturalWidth > 0).length === 1`,
  );
  expect(await text('h1')).toBe('For Bert');
});

test('pages fit the window of a phone, a laptop and a large screen, and axe finds nothing in light and dark', async () => {
  const found: string[] = [];
  const areas = ['library', 'map', 'imports', 'history', 'tags', 'shares', 'keys', 'webhooks', 'usage', 'account'];
  for (const area of areas) {
    await open(`/settings/${area}`);
    await firefox.evaluate(`void (0, eval)(${JSON.stringify(AXE)})`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await firefox.prefer(colorScheme);
      for (const width of [390, 2560, 1440]) {
        await firefox.resize(width, 900);
        const where = `${area} ${width} ${colorScheme}`;
        const tooWide = await firefox.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (tooWide > 0) found.push(`${where}: wider than the window by ${tooWide}`);
        // A large screen has the layout of a laptop.
        const options = colorScheme === 'light' && width < 2560 ? {} : CONTRASTS;
        const violations = await firefox.evaluate<readonly Violation[]>(
          `axe.run(${JSON.stringify(options)}).then((all) => all.violations)`,
        );
        found.push(...seriousOf(violations).map((violation) => `${where}: ${violation}`));
      }
    }
  }
  expect(found).toEqual([]);
});
