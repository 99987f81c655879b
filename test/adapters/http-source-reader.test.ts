import { gzipSync } from 'node:zlib';
import type { Lookup } from '../../src/adapters/outgoing/customer-names.js';
import { HttpSourceReader } from '../../src/adapters/sources/http-source-reader.js';
import { MAX_REDIRECTS, type SourceRequest } from '../../src/core/imports/fetch/source-reader.js';
import { collected } from '../support/core-world.js';
import { DnsServer } from '../support/dns-server.js';
import { SourceServer, serve } from '../support/source-server.js';

/** What the reader over the network does beyond its contract; above all, where it does not go (docs/reliability.md F31). */
let server: SourceServer;
beforeEach(async () => {
  server = await SourceServer.start();
});
afterEach(() => server.close());

const guarded = new HttpSourceReader({ allowPrivate: false });
/** As `Lookup` promises when nothing answers. */
const unanswered: Lookup = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const open = new HttpSourceReader({ allowPrivate: true });
const hasty = new HttpSourceReader({ allowPrivate: true, idleTimeout: 200 });
const never = new AbortController().signal;
const bytes = new TextEncoder().encode('0123456789'.repeat(1000));

const request = (url: string, more: Partial<SourceRequest> = {}): SourceRequest => {
  return { customerId: 1, url, from: null, maxBytes: 1_000_000, ...more };
};
const read = async (url: string, reader = open, more: Partial<SourceRequest> = {}) => {
  const source = await reader.open(request(url, more), never);
  return new TextDecoder().decode(await collected(source.bytes));
};
const failing = (code: string, isFinal: boolean, more = {}) => ({ error: { code }, isFinal, ...more });

describe('without FETCH_ALLOW_PRIVATE', () => {
  test.each([
    ...['127.0.0.1', '127.1', '0x7f000001', '2130706433', 'localhost', '0', '[::1]', '[::ffff:127.0.0.1]', '[::]'],
    ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200', '[fd00:ec2::254]', '[fe80::1]'],
  ])('https://%s is refused', async (host) => {
    const refused = failing('source_forbidden', true);
    await expect(read(`https://${host}:${server.port}/a.jpg`, guarded)).rejects.toMatchObject(refused);
    expect(server.connections).toBe(0);
  });

  test('a name that leads to this machine, alone or among others, is refused', async () => {
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1']]) {
      const dns = await DnsServer.start(addresses);
      const reader = new HttpSourceReader({ allowPrivate: false, lookup: dns.lookup });
      const url = `https://photos.example.com:${server.port}/a.jpg`;
      await expect(read(url, reader)).rejects.toMatchObject(failing('source_forbidden', true));
      await dns.close();
    }
    expect(server.connections).toBe(0);
  });

  test('a redirect does not lead from https to http', async () => {
    await expect(read(server.url('/a.jpg'), guarded)).rejects.toMatchObject(failing('source_forbidden', true));
    expect(server.connections).toBe(0);
  });
});

test('the connection goes to the address that was checked: the name is not resolved again', async () => {
  const dns = await DnsServer.start(['127.0.0.1'], ['192.0.2.1']);
  const reader = new HttpSourceReader({ allowPrivate: true, lookup: dns.lookup });
  server.on(
    '/a.jpg',
    serve(() => ({ bytes })),
  );
  expect(await read(`http://rebind.example.com:${server.port}/a.jpg`, reader)).toHaveLength(bytes.length);
  expect([dns.asked, server.requests[0]?.headers.host]).toEqual([1, `rebind.example.com:${server.port}`]);
  await dns.close();
});

test('requests carry nothing that identifies the service or a customer', async () => {
  const url = server.on(
    '/a.jpg',
    serve(() => ({ bytes })),
  );
  await read(`${url}?signature=secret`);
  const [{ headers, method, url: path } = { headers: {} }] = server.requests;
  expect([method, path]).toEqual(['GET', '/a.jpg?signature=secret']);
  expect(headers).toEqual({
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'photo-service',
    host: `127.0.0.1:${server.port}`,
    connection: 'close',
  });
});

describe('redirects', () => {
  const redirect = (path: string, location: string, status = 302) =>
    server.on(path, (response) => response.writeHead(status, { location }).end('elsewhere'));

  test.each([301, 302, 303, 307, 308])('a %i is followed, also to a relative URL', async (status) => {
    server.on(
      '/b.jpg',
      serve(() => ({ bytes })),
    );
    expect(await read(redirect('/a.jpg', '/b.jpg#part', status))).toHaveLength(bytes.length);
  });

  test('are followed three times, but not a fourth time', async () => {
    for (let step = 1; step <= MAX_REDIRECTS + 1; step += 1) redirect(`/${step}`, `/${step + 1}`);
    server.on(
      `/${MAX_REDIRECTS + 2}`,
      serve(() => ({ bytes })),
    );
    expect(await read(server.url('/2'))).toHaveLength(bytes.length);
    await expect(read(server.url('/1'))).rejects.toMatchObject(failing('source_unreachable', true));
    expect(server.requests.map(({ url }) => url)).toEqual(['/2', '/3', '/4', '/5', '/1', '/2', '/3', '/4']);
  });

  test('in a circle end with an error', async () => {
    await expect(read(redirect('/a.jpg', '/a.jpg'))).rejects.toMatchObject(failing('source_unreachable', true));
    expect(server.requests).toHaveLength(MAX_REDIRECTS + 1);
  });

  test.each([
    ['ftp://example.com/a.jpg', 'source_forbidden'],
    ['http://user:secret@127.0.0.1/a.jpg', 'source_forbidden'],
    ['http://[', 'source_unreachable'],
  ])('to %s is not followed', async (location, code) => {
    await expect(read(redirect('/a.jpg', location))).rejects.toMatchObject(failing(code, true));
    expect(server.connections).toBe(1);
  });

  test('to a name that leads to a forbidden address is not followed, at no step', async () => {
    // Only this machine can be reached by a test: one of its addresses stands for the public ones, another for the private.
    const reader = new HttpSourceReader({
      allowPrivate: true,
      permits: (address) => address === '127.0.0.1',
      lookup: async (name) => [{ address: name.startsWith('inside') ? '127.0.0.2' : '127.0.0.1', family: 4 }],
    });
    const refused = failing('source_forbidden', true);
    for (const inside of ['inside.example.com', '127.0.0.2', '[::1]']) {
      redirect('/2', `http://${inside}:${server.port}/secret`);
      redirect('/1', `http://b.example.com:${server.port}/2`);
      const before = server.connections;
      const reading = read(`http://a.example.com:${server.port}/1`, reader);
      await expect(reading).rejects.toMatchObject(refused);
      expect(server.connections - before).toBe(2);
    }
  });

  test('a name that leads elsewhere when it is asked again is refused at that step', async () => {
    const answers = ['127.0.0.1', '127.0.0.2'];
    const reader = new HttpSourceReader({
      allowPrivate: true,
      permits: (address) => address === '127.0.0.1',
      lookup: async () => [{ address: answers.shift() ?? '', family: 4 }],
    });
    redirect('/a.jpg', '/b.jpg');
    const reading = read(`http://rebind.example.com:${server.port}/a.jpg`, reader);
    await expect(reading).rejects.toMatchObject(failing('source_forbidden', true));
    expect(server.connections).toBe(1);
  });

  test('without a location are responses like any other', async () => {
    const url = server.on('/a.jpg', (response) => response.writeHead(302).end());
    await expect(read(url)).rejects.toMatchObject(failing('source_unreachable', true));
  });
});

describe('responses', () => {
  test.each([
    [401, 'source_forbidden', true],
    [403, 'source_forbidden', true],
    [404, 'source_not_found', true],
    [410, 'source_not_found', true],
    [400, 'source_unreachable', true],
    [204, 'source_unreachable', true],
    [206, 'source_unreachable', true],
    [304, 'source_unreachable', true],
    [408, 'source_unreachable', false],
    [429, 'source_unreachable', false],
    [500, 'source_unreachable', false],
    [503, 'source_unreachable', false],
  ])('%i is %s', async (status, code, isFinal) => {
    const url = server.on('/a.jpg', (response) => response.writeHead(status, { 'retry-after': '7' }).end());
    const retryAfterSeconds = code === 'source_unreachable' ? 7 : null;
    await expect(read(url)).rejects.toMatchObject(failing(code, isFinal, { retryAfterSeconds }));
  });

  test('no message contains a URL, an address or what the source said', async () => {
    const url = server.on('/a.jpg', (response) => response.writeHead(500, 'secret reason').end('secret page'));
    const errors = await Promise.all(
      [`${url}?token=secret`, 'http://secret.invalid/?token=secret', 'http://127.0.0.1:1/?token=secret'].map((each) =>
        read(each).then(
          () => '',
          (error: Error) => error.message,
        ),
      ),
    );
    for (const message of errors) expect(message).toMatch(/^[A-Z][^:/]*\.$/);
    expect(errors.join()).not.toMatch(/secret|127\.0/);
  });

  test('compressed bytes are refused', async () => {
    const url = server.on('/a.jpg', (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes));
    });
    await expect(read(url)).rejects.toMatchObject(failing('source_unreachable', true));
  });

  test('another part than the requested one is refused, and may be right the next time', async () => {
    for (const range of ['bytes 0-9/20', 'bytes 5-8/20', 'bytes 5-19/*', 'pages 5-19/20', '']) {
      const url = server.on('/a.jpg', (response) => {
        response.writeHead(206, { etag: '"1"', 'content-range': range }).end('0123456789');
      });
      const more = { from: { offset: 5, validator: '"1"' } };
      await expect(read(url, open, more)).rejects.toMatchObject(failing('source_unreachable', false));
    }
  });

  test('a source that ignores ranges is read from the beginning', async () => {
    const url = server.on(
      '/a.jpg',
      serve(() => ({ bytes, takesRanges: false })),
    );
    const source = await open.open(request(url, { from: { offset: 5, validator: '"1"' } }), never);
    expect(source.offset).toBe(0);
    expect(await collected(source.bytes)).toHaveLength(bytes.length);
  });

  const [now, before] = [new Date(), new Date(Date.now() - 120_000)].map((at) => at.toUTCString());
  test.each([
    [{ etag: '"a"' }, '"a"'],
    [{ etag: 'W/"a"' }, null],
    [{ etag: 'W/"a"', 'last-modified': before }, null],
    [{ 'last-modified': before, date: now }, before],
    [{ 'last-modified': now, date: now }, null],
    [{ 'last-modified': 'yesterday' }, null],
    [{ etag: '"a"', 'accept-ranges': 'none' }, null],
    [{}, null],
  ])('%j can be continued by %s', async (headers, validator) => {
    const url = server.on('/a.jpg', (response) =>
      response.writeHead(200, headers as Record<string, string>).end(bytes),
    );
    expect((await open.open(request(url), never)).validator).toBe(validator);
  });

  test('fewer bytes than announced are a broken connection; more are not read', async () => {
    const short = server.on('/short', (response) => {
      response.writeHead(200, { 'content-length': 20_000 }).write(bytes, () => response.socket?.end());
    });
    await expect(read(short)).rejects.toMatchObject(failing('source_unreachable', false));
    const long = server.on('/long', (response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${'0123456789'.repeat(10)}`);
    });
    expect((await read(long).catch(() => '')).length).toBeLessThanOrEqual(10);
  });

  test('a huge file is refused by its header', async () => {
    const url = server.on('/a.jpg', (response) => response.writeHead(200, { 'content-length': 1e12 }).write('x'));
    await expect(read(url)).rejects.toMatchObject(failing('file_too_large', true));
  });

  test('an endless file is read no faster than it is taken', async () => {
    let sent = 0;
    const url = server.on('/a.jpg', (response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        do sent += chunk.length;
        while (response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    const source = await open.open(request(url), never);
    let received = 0;
    for await (const { length } of source.bytes) {
      received += length;
      // What is between the two is in buffers.
      expect(sent - received).toBeLessThan(32 * 1024 * 1024);
      if (received > 128 * 1024 * 1024) break;
    }
    source.close();
  });
});

describe('a source is given up', () => {
  test('that says nothing', async () => {
    const url = server.on('/a.jpg', () => undefined);
    await expect(read(url, hasty)).rejects.toMatchObject(failing('source_unreachable', false));
  });

  test('that stops in the middle', async () => {
    const url = server.on('/a.jpg', (response) => void response.writeHead(200, { 'content-length': 100 }).write('x'));
    await expect(read(url, hasty)).rejects.toMatchObject(failing('source_unreachable', false));
  });

  test('whose name no server resolves', async () => {
    const silent = new HttpSourceReader({ allowPrivate: true, idleTimeout: 100, lookup: unanswered });
    await expect(read('http://silent.example/', silent)).rejects.toMatchObject(failing('source_unreachable', false));
  });

  test('that takes too long altogether, however little it sends at a time', async () => {
    const slow = new HttpSourceReader({ allowPrivate: true, timeout: 300 });
    const url = server.on('/a.jpg', (response) => {
      response.writeHead(200, { 'content-length': 1_000_000 });
      const dripping = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(dripping));
    });
    await expect(read(url, slow)).rejects.toMatchObject(failing('source_unreachable', false));
  });

  test('that sends less than the minimum rate, so that it does not hold a slot others wait for', async () => {
    let time = 0;
    const url = server.on('/a.jpg', (response) => {
      response.writeHead(200, { 'content-length': 1_000_000 });
      const dripping = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(dripping));
    });
    // Each byte comes ten seconds after the one before.
    const reader = new HttpSourceReader({ allowPrivate: true, now: () => (time += 10_000) });
    await expect(read(url, reader)).rejects.toMatchObject(failing('source_unreachable', false));
    await expect(read(url, reader)).rejects.toThrow('less than 1 KB per second');
  });

  test('that is not there, or whose name does not exist', async () => {
    await expect(read('http://127.0.0.1:1/')).rejects.toMatchObject(failing('source_unreachable', false));
    const unknown = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    const reader = new HttpSourceReader({ allowPrivate: true, lookup: unknown });
    await expect(read('http://a.example/', reader)).rejects.toThrow('The host name does not exist.');
  });
});
