import { PublicAddresses } from '../../src/http/public-addresses.js';
import { builtProgram } from '../support/built-program.js';
import { sendBytes } from './support/send-bytes.js';
import { type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;

beforeAll(async () => {
  await builtProgram();
  app = await startApp({ ports: () => ({ addresses: new PublicAddresses('https://Photos.example.com:8443/under') }) });
});
afterAll(() => app.close());

interface Asked {
  readonly path?: string;
  readonly hosts: readonly string[];
  readonly accept?: string;
  readonly version?: string;
}

/** The status line and the rest of what is answered. */
async function ask({ path = '/healthz', hosts, accept = '*/*', version = '1.1' }: Asked) {
  const lines = [`GET ${path} HTTP/${version}`, ...hosts.map((host) => `Host: ${host}`), `Accept: ${accept}`];
  const seen = await sendBytes(app.url, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  const [head = '', body = ''] = seen.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body };
}

const FOR_ANY_HOST = [
  '/api/v1/me',
  '/uploads/none',
  '/renditions/none',
  '/img/none',
  '/healthz',
  '/readyz',
  '/openapi.json',
];
const PAGES = ['/', '/settings', '/settings/sign-in', '/settings/enter/none', '/settings/nowhere', '/docs', '/nowhere'];

describe('A33: a request to any path', () => {
  test.each([...FOR_ANY_HOST, ...PAGES])('%s: two Host headers are refused, the same twice, too', async (path) => {
    for (const hosts of [
      ['127.0.0.1', 'evil.example'],
      ['evil.example', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.1'],
    ]) {
      const { status, body } = await ask({ path, hosts, accept: 'application/json' });
      expect([path, status, JSON.parse(body).error.code]).toEqual([path, 400, 'invalid_request']);
    }
  });

  test.each([
    '',
    ' ',
    'a b',
    'a/b',
    'user@a',
    'a:b',
    'a:1:2',
    'http://a',
    'a,b',
    '[::1',
    '::1',
    '"a"',
    'a?b',
    'a#b',
    'a\\b',
  ])('an invalid Host is refused: %j', async (host) => {
    expect((await ask({ hosts: [host] })).status).toBe(400);
    expect((await ask({ path: '/api/v1/me', hosts: [host] })).status).toBe(400);
  });

  it('is refused in the envelope of errors, with its headers, or by a page where pages are asked for', async () => {
    const api = await ask({ path: '/api/v1/me', hosts: ['a', 'b'] });
    expect(JSON.parse(api.body).error).toMatchObject({ code: 'invalid_request', requestId: expect.any(String) });
    expect(api.head).toMatch(/^X-Request-Id: req_/m);
    expect(api.head).toMatch(/^X-RateLimit-Limit: /m);
    expect(api.head).toMatch(/^X-Content-Type-Options: nosniff/m);
    for (const path of ['/uploads/none', '/renditions/none', '/img/a/1/w=1?sig=a'])
      expect([path, (await ask({ path, hosts: ['a b'] })).head]).toEqual([
        path,
        expect.stringMatching(/^Access-Control-Allow-Origin: \*/m),
      ]);
    const page = await ask({ path: '/settings', hosts: ['a', 'b'], accept: 'text/html' });
    expect(page.status).toBe(400);
    expect(page.head).toContain('Content-Type: text/html');
    expect(page.head).not.toMatch(/^Set-Cookie/im);
  });
});

describe('A33: a path for programs, signed addresses and load balancers', () => {
  test.each(FOR_ANY_HOST)('%s answers under any single Host', async (path) => {
    const expected = (await ask({ path, hosts: ['127.0.0.1'] })).status;
    for (const host of ['10.0.0.7', '10.0.0.7:3000', 'api', 'photos_api:3000', '[2001:db8::1]:3000', 'evil.example']) {
      expect([host, (await ask({ path, hosts: [host] })).status]).toEqual([host, expected]);
    }
    expect((await ask({ path, hosts: [], version: '1.0' })).status).toBe(expected);
  });
});

describe('A33: a page', () => {
  const own = ['photos.example.com:8443', 'photos.example.com', 'PHOTOS.example.com', 'photos.example.com.'];
  const loopback = [
    'localhost',
    'localhost:3000',
    'LOCALHOST',
    'a.localhost',
    '127.0.0.1',
    '127.9.9.9:80',
    '[::1]:3000',
  ];
  const foreign = [
    ...['evil.example', 'photos.example.com.evil.example', 'evil-photos.example.com', 'example.com', '10.0.0.7'],
    ...['127.0.0.1.evil.example', 'localhost.evil.example', 'evillocalhost', '0.0.0.0', '[::]', '[2001:db8::1]'],
  ];

  test.each(PAGES)('%s is for the host of PUBLIC_URL and for loopback', async (path) => {
    for (const accept of ['text/html', '*/*']) {
      for (const host of [...own, ...loopback]) {
        const { status } = await ask({ path, hosts: [host], accept });
        expect([host, [200, 303, 403, 404].includes(status)]).toEqual([host, true]);
      }
      for (const host of foreign) {
        const { status, head, body } = await ask({ path, hosts: [host], accept });
        expect([host, status]).toEqual([host, 400]);
        expect(head).not.toMatch(/^Set-Cookie/im);
        expect(body).toContain('PUBLIC_URL');
      }
    }
  });
});
