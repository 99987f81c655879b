import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideFile, guideNames, guideText, guideTitle } from '../../bin/docs/guides.js';
import { assetUrl } from '../../bin/docs/layout.js';
import { markdownHtml } from '../../bin/docs/markdown.js';
import { errorCodes } from '../../src/core/shared/errors.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { type RunningApp, startApp } from '../api/support/start-app.js';
import { builtProgram } from '../support/built-program.js';
import { until } from '../support/until.js';

let app: RunningApp;
beforeAll(async () => {
  await builtProgram();
  app = await startApp();
});
afterAll(() => app.close());

const pages = [
  '/docs',
  '/docs/reference/photos',
  '/docs/operator',
  '/docs/operator/keys',
  '/docs/guides',
  '/docs/guides/quick-start',
  '/docs/errors',
  '/docs/errors/not_found',
];
const documents = ['/openapi.json', ...pages, '/docs/search.json', assetUrl('search.js')];

test('openapi.json is read without a key, from any origin', async () => {
  const answer = await app.send({ path: '/openapi.json' });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['access-control-allow-origin']).toBe('*');
  expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
  expect(answer.body.openapi).toBe('3.1.0');
});

test.each(documents)('%s is 304 for a client that has it, and HEAD returns the same without a body', async (path) => {
  const whole = await app.send({ path });
  expect(whole.status).toBe(200);
  const { etag, 'cache-control': caching, 'content-type': type } = whole.headers;
  expect(caching).toMatch(/^public/);
  const again = await app.send({ path, headers: { 'if-none-match': String(etag) } });
  expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
  const head = await app.send({ method: 'HEAD', path });
  expect([head.status, head.bytes.length, head.headers.etag, head.headers['content-type']]).toEqual([
    200,
    0,
    etag,
    type,
  ]);
});

test.each(documents)('%s takes no other method than GET, HEAD and OPTIONS', async (path) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const refused = await app.send({ method, path });
    expect([refused.status, refused.headers.allow, refused.body.error.code]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      'method_not_allowed',
    ]);
  }
  const told = await app.send({ method: 'OPTIONS', path });
  expect([told.status, told.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
});

test.each(pages)('%s runs our own files and nothing else', async (path) => {
  const { headers, text } = await app.send({ path });
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]));
  expect(policy.join()).not.toContain('unsafe');
  expect(text).not.toMatch(/<script(?![^>]* src="\/docs\/)|<style|\son[a-z]+=|\sstyle=/);
  const used = [...text.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, url]) => String(url));
  expect(used.length).toBeGreaterThan(0);
  for (const url of used) {
    const asset = await app.send({ path: url });
    expect([url, asset.status, asset.headers['cache-control']]).toEqual([
      url,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
});

test('the guides have an index, which the reader and every guide link', async () => {
  const { status, text } = await app.send({ path: '/docs/guides' });
  expect(status).toBe(200);
  expect(text).toContain('<h1>Guides</h1>');
  const article = text.slice(text.indexOf('<main'), text.indexOf('<nav'));
  const links = [...article.matchAll(/<a href="([^"]+)">([^<]+)<\/a>/g)].map(([, link, title]) => [link, title]);
  expect(links).toEqual(expect.arrayContaining(guideNames.map((name) => [`/docs/guides/${name}`, guideTitle(name)])));
  expect(text).toContain('aria-current="page"');
  for (const path of ['/docs', '/docs/guides/errors']) {
    expect((await app.send({ path })).text).toContain('href="/docs/guides"');
  }
});

/** The page, and where its own links lead. */
async function linksOf(path: string) {
  const { status, text } = await app.send({ path });
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => String(link).replaceAll('&amp;', '&'));
  return { status, text, links: links.filter((link) => /^[/#]/.test(link)) };
}

test('every document of the repository is a page, and every link of every page leads to something that is there', async () => {
  const root = join(__dirname, '../../docs');
  const files = [root, join(root, 'guides')].flatMap((folder) =>
    readdirSync(folder).filter((name) => name.endsWith('.md')),
  );
  expect(guideNames).toEqual(expect.arrayContaining(files.map((name) => name.replace(/\.md$/, ''))));
  const guides = guideNames.map((name) => `/docs/guides/${name}`);
  const errors = errorCodes.map((code) => `/docs/errors/${code}`);
  const texts = new Map<string, string>();
  const read = async (path: string) => {
    if (!texts.has(path)) {
      const { status, text } = await app.send({ path });
      expect([path, status]).toEqual([path, 200]);
      texts.set(path, text);
    }
    return texts.get(path) ?? '';
  };
  const broken: string[] = [];
  for (const page of [...pages, ...referencePages().keys(), ...guides, ...errors]) {
    for (const link of (await linksOf(page)).links) {
      const [path = '', anchor] = link.split('#');
      // Of the signed-in areas.
      if (/^\/(settings|s|img)\b/.test(path)) continue;
      const text = await read(path === '' ? page : path);
      if (anchor && !text.includes(`id="${anchor}"`)) broken.push(`${page}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

/** The pages of both references, each with its operations and events. */
function referencePages() {
  const found = new Map<string, readonly Operation[]>();
  for (const [file, folder] of [
    ['openapi.json', '/docs/reference'],
    ['openapi-operator.json', '/docs/operator'],
  ]) {
    const { tags, paths, webhooks = {} } = JSON.parse(readFileSync(join(__dirname, '../..', String(file)), 'utf8'));
    const all = Object.values<Record<string, Operation>>({ ...paths, ...webhooks }).flatMap((each) =>
      Object.values(each),
    );
    for (const { name } of tags as readonly { name: string }[]) {
      const operations = all.filter((each) => each.tags[0] === name);
      found.set(`${folder}/${name.toLowerCase().replaceAll(' ', '-')}`, operations);
    }
  }
  return found;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string }[];
  readonly 'x-codeSamples'?: readonly { readonly label: string; readonly source: string }[];
}

test('the reference has every operation and event of both documents: its fields, its errors, and its code in six languages', async () => {
  const pages = referencePages();
  expect([...pages.values()].flat().length).toBeGreaterThan(50);
  for (const [path, operations] of pages) {
    const { text } = await app.send({ path });
    const sections = text.split('<section class="operation" ').slice(1);
    expect(sections).toHaveLength(operations.length);
    for (const [index, { operationId, parameters = [], 'x-codeSamples': samples }] of operations.entries()) {
      const section = sections[index] ?? '';
      expect(section).toContain(`id="${operationId}"`);
      for (const { name } of parameters) expect(section).toContain(`<code>${name}</code>`);
      if (samples) expect(section.match(/data-language="/g)).toHaveLength(6);
    }
  }
  const photos = (await app.send({ path: '/docs/reference/photos' })).text;
  // Of a field: its type, whether it is required, and what a value has to keep to.
  expect(photos).toMatch(/<code>rating<\/code> <span class="type">integer or null<\/span>[\s\S]*?Value: 0 to 5\./);
  expect(photos).toMatch(/<code>id<\/code> <span class="type">integer<\/span><span class="mark">required<\/span>/);
  expect(photos).toContain('<a href="/docs/errors/not_found">');
});

test('an error code says when it is met, what to do, and by which operations', async () => {
  const { text } = await app.send({ path: '/docs/errors/tag_name_taken' });
  expect(text).toContain('HTTP status 409. Another tag has this name');
  expect(text).toContain('href="/docs/reference/tags#createTag"');
  expect(text).not.toContain('#listPhotos');
  expect((await app.send({ path: '/docs/errors/method_not_allowed' })).text).toContain('At any address');
});

test('a search of the documentation finds operations, error codes and sections of guides', async () => {
  const { body: entries } = await app.send({ path: '/docs/search.json' });
  const titled = (title: string) => entries.filter((entry: { title: string }) => entry.title === title);
  expect(titled('Retrieve a photo')).toMatchObject([{ url: '/docs/reference/photos#getPhoto' }]);
  expect(titled('rate_limited')).toMatchObject([{ place: 'Error code', url: '/docs/errors/rate_limited' }]);
  expect(titled('Verifying the signature')).toMatchObject([
    { place: 'Webhooks', url: '/docs/guides/webhooks#verifying-the-signature', text: expect.stringContaining('HMAC') },
  ]);
  for (const { url } of entries) {
    const [path = '', anchor] = url.split('#');
    if (anchor === undefined) continue;
    expect((await app.send({ path })).text).toContain(`id="${anchor}"`);
  }
});

test('links in the guides lead to files that are there', () => {
  for (const name of guideNames) {
    const folder = join(__dirname, '../..', guideFile(name), '..');
    for (const [, link = ''] of guideText(name).matchAll(/\]\(((?!https?:|#|\/)[^)#]+)/g)) {
      expect([name, link, existsSync(join(folder, link))]).toEqual([name, link, true]);
    }
  }
});

test('a missing page of the documentation is 404', async () => {
  for (const path of [
    '/docs/guides/other',
    '/docs/errors/other',
    '/docs/assets/1/other.js',
    '/docs/assets/1/package.json',
    '/docs/',
    '/docs/guides/',
  ]) {
    expect([path, (await app.send({ path })).status]).toEqual([path, 404]);
  }
});

test('Markdown becomes blocks, and everything else stays text', () => {
  const text = [
    '# One',
    '',
    'Words',
    'go on.',
    '- a',
    '  b',
    '- c',
    '',
    '| x | y \\| z |',
    '|---|--:|',
    '| 1 | 2 |',
    '```sh',
    '# no heading',
    '```',
  ];
  expect(markdownHtml(text.join('\n')).replace(/(?<=>)\n(?=<)/g, '')).toBe(
    [
      '<h1 id="one">One</h1><p>Words\ngo on.</p><ul><li>a\nb</li><li>c</li></ul>',
      '<table><thead><tr><th scope="col">x</th><th scope="col">y | z</th></tr></thead>',
      '<tbody><tr><td>1</td><td>2</td></tr></tbody></table><pre><code># no heading</code></pre>\n',
    ].join(''),
  );
  expect(markdownHtml('<script>alert(1)</script>')).toBe('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n');
});

/** Of a person whose key asked for a photo that there is not: the usage page, and that of an empty library. */
async function pagesOf(where: RunningApp) {
  const actor = await where.customer();
  const missing = await actor.get('/photos/999999');
  const browser = new BrowserClient(where.url);
  await browser.enter(where.ports, actor.customerId, 'owner', `${actor.customerId}@example.com`);
  // A request is counted once its connection is done with it.
  let usage = '';
  await until(async () => {
    await where.writeCounts();
    usage = (await browser.get('/settings/usage')).text;
    return usage.includes('>not_found<');
  });
  return { usage, library: (await browser.get('/settings/library')).text, requestId: missing.body.error.requestId };
}

test('an error on the usage page leads to what its code means, and has an address by its request id', async () => {
  const { usage, library, requestId } = await pagesOf(app);
  const link = /href="(\/docs\/errors\/not_found)"/.exec(usage)?.[1] ?? '';
  expect((await app.send({ path: link })).status).toBe(200);
  expect(usage).toMatch(new RegExp(`<a id="${requestId}"[^>]* href="#${requestId}"`));
  expect(library).toContain('href="/docs"');
});

test('DOCS=off hides the documentation, and no page links to it', async () => {
  const without = await startApp({ docs: false });
  try {
    for (const path of documents) expect((await without.send({ path })).status).toBe(404);
    expect((await without.send({ path: '/healthz' })).status).toBe(200);
    const { usage, library } = await pagesOf(without);
    for (const text of [usage, library]) expect(text).not.toContain('href="/docs');
  } finally {
    await without.close();
  }
});
