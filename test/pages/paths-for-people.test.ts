import { type RunningApp, startApp } from '../api/support/start-app.js';
import { builtProgram } from '../support/built-program.js';

let app: RunningApp;

beforeAll(async () => {
  await builtProgram();
  app = await startApp();
});
afterAll(() => app.close());

/** What a browser says when somebody types an address, or follows a link. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const PROGRAMS = [
  '*/*',
  'application/json',
  'image/avif,image/webp,*/*;q=0.8',
  'application/json, text/html;q=0.5',
  '',
];
const get = (path: string, accept: string, method = 'GET') =>
  app.send({ method, path, headers: accept === '' ? {} : { accept } });

describe('the root', () => {
  it.each([BROWSER, 'text/html', 'application/xhtml+xml, text/html'])(
    'leads people to the settings area: %s',
    async (accept) => {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await get('/', accept, method);
        expect([method, status, headers.location]).toEqual([method, 303, '/settings']);
        expect(headers.vary).toMatch(/\bAccept\b(?!-)/);
      }
    },
  );

  it.each(PROGRAMS)('is not found for programs: %j', async (accept) => {
    const { status, headers, body } = await get('/', accept);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(headers['content-type']).toContain('application/json');
    expect(headers.vary).toMatch(/\bAccept\b(?!-)/);
  });
});

describe('a path with nothing at it', () => {
  const paths = [
    '/nowhere',
    '/docs/guides/nowhere',
    '/docs/nowhere',
    '/docs/',
    '/%zz',
    '/index.html',
    '/docs/assets/x/y',
  ];

  it.each(paths)('is a page for a client that accepts HTML: %s', async (path) => {
    const { status, headers, text } = await get(path, BROWSER);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('<h1>Not found</h1>');
    expect(text).toContain(String(headers['x-request-id']));
    expect(headers.vary).toMatch(/\bAccept\b(?!-)/);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toContain("style-src 'self'");
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each(paths)('is the envelope of errors for everyone else: %s', async (path) => {
    for (const accept of PROGRAMS) {
      const { status, headers, body } = await get(path, accept);
      expect([accept, status, body.error.code]).toEqual([accept, 404, 'not_found']);
      expect(headers.vary).toMatch(/\bAccept\b(?!-)/);
    }
  });

  it.each(['/api/v1/nowhere', '/api/v1', '/uploads/none', '/renditions/none', '/renditions/a/b', '/img/a/b/c'])(
    'for programs is the envelope of errors, whatever the client accepts: %s',
    async (path) => {
      const { headers, body } = await get(path, BROWSER);
      expect(body.error.requestId).toBe(headers['x-request-id']);
    },
  );

  it('answers a form in the same way', async () => {
    const { status, text } = await app.send({ method: 'POST', path: '/nowhere', headers: { accept: BROWSER } });
    expect([status, text.includes('Not found')]).toEqual([404, true]);
  });
});
