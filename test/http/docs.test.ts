import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assetUrl, guideNames, guideText, guideTitle } from '../../src/http/docs/documents.js';
import { blocksOf } from '../../src/http/docs/markdown.js';
import { type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const documents = ['/openapi.json', '/docs', '/docs/guides', '/docs/guides/quick-start', assetUrl('reader.js')];

test('openapi.json is read without a key, from any origin', async () => {
  const answer = await app.send({ path: '/openapi.json' });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['access-control-allow-origin']).toBe('*');
  expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
  expect(answer.body.openapi).toBe('3.1.0');
});

test.each(documents)('%s is 304 for who has it, and HEAD tells the same without a body', async (path) => {
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

test.each(['/docs', '/docs/guides', '/docs/guides/quick-start'])(
  '%s runs our own files and nothing else',
  async (path) => {
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
  },
);

test('the guides have an index, which the reader and every guide link', async () => {
  const { status, text } = await app.send({ path: '/docs/guides' });
  expect(status).toBe(200);
  expect(text).toContain('<h1>Guides</h1>');
  const article = text.slice(text.indexOf('<article>'));
  const links = [...article.matchAll(/<a href="([^"]+)">([^<]+)<\/a>/g)].map(([, link, title]) => [link, title]);
  expect(links).toEqual(expect.arrayContaining(guideNames.map((name) => [`/docs/guides/${name}`, guideTitle(name)])));
  expect(text).toContain('aria-current="page"');
  for (const path of ['/docs', '/docs/guides/errors']) {
    expect((await app.send({ path })).text).toContain('href="/docs/guides"');
  }
});

test('every guide of the repository is a page, and its links lead somewhere', async () => {
  const files = readdirSync(join(__dirname, '../../docs/guides')).map((name) => name.replace(/\.md$/, ''));
  expect(guideNames).toEqual(expect.arrayContaining(files));
  for (const name of guideNames) {
    const { status, text } = await app.send({ path: `/docs/guides/${name}` });
    expect([name, status]).toEqual([name, 200]);
    for (const [, link = ''] of text.matchAll(/href="(\/[^"#]*)/g)) {
      expect([name, link, (await app.send({ method: 'HEAD', path: link })).status]).toEqual([name, link, 200]);
    }
  }
});

test('links in the guides lead to files that are there', () => {
  for (const name of guideNames) {
    const folder = join(__dirname, '../../docs', ['webhooks', 'operations'].includes(name) ? '' : 'guides');
    for (const [, link = ''] of guideText(name).matchAll(/\]\(((?!https?:|#|\/)[^)#]+)/g)) {
      expect(() => readFileSync(join(folder, link))).not.toThrow();
    }
  }
});

test('what is not there is 404', async () => {
  for (const path of [
    '/docs/guides/other',
    '/docs/assets/1/other.js',
    '/docs/assets/1/package.json',
    '/docs/',
    '/docs/guides/',
  ]) {
    expect([path, (await app.send({ path })).status]).toEqual([path, 404]);
  }
});

test('Markdown becomes blocks, and what is no Markdown stays text', () => {
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
    '|---|---|',
    '| 1 | 2 |',
    '```sh',
    '# no heading',
    '```',
  ];
  expect(blocksOf(text.join('\n'))).toEqual([
    { kind: 'heading', level: 1, text: 'One' },
    { kind: 'paragraph', text: 'Words go on.' },
    { kind: 'list', ordered: false, items: ['a b', 'c'] },
    {
      kind: 'table',
      rows: [
        ['x', 'y | z'],
        ['1', '2'],
      ],
    },
    { kind: 'code', language: 'sh', text: '# no heading' },
  ]);
  expect(blocksOf('<script>alert(1)</script>')).toEqual([{ kind: 'paragraph', text: '<script>alert(1)</script>' }]);
});

test('DOCS=off shows none of them', async () => {
  const without = await startApp({ docs: false });
  try {
    for (const path of documents) expect((await without.send({ path })).status).toBe(404);
    expect((await without.send({ path: '/healthz' })).status).toBe(200);
  } finally {
    await without.close();
  }
});
