import type { Lookup } from '../../src/adapters/outgoing/customer-names.js';
import { HttpWebhookSender } from '../../src/adapters/webhooks/http-webhook-sender.js';
import { isPublicAddress } from '../../src/core/access/outgoing-url.js';
import { DnsServer } from '../support/dns-server.js';
import { Receiver } from '../support/receiver.js';

/** What the sender over the network does beyond its contract; above all, where it does not go (RELIABILITY A9). */
let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.close());

const guarded = new HttpWebhookSender({ allowPrivate: false });
/** As `Lookup` promises when nothing answers. */
const unanswered: Lookup = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const open = new HttpWebhookSender({ allowPrivate: true });
const message = (url: string) => ({ customerId: 1, url, headers: { 'webhook-id': 'evt_1' }, body: '{}' });
const refused = { status: null, reason: expect.stringMatching(/./), body: null };

/** Host names and addresses that mean this machine. */
const loopback = ['127.0.0.1', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', 'localhost', 'localhost.', '0'];
const loopback6 = ['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::]', '[0:0:0:0:0:0:0:1]'];
const inside = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
];

describe('without WEBHOOK_ALLOW_PRIVATE', () => {
  test.each([...loopback, ...loopback6, ...inside])('https://%s is refused at save and at delivery', async (host) => {
    const url = `https://${host}:${receiver.port}/hooks`;
    // Not every system knows the name `localhost.` with its dot.
    expect(await guarded.refusal(url, 1)).toMatch(host === 'localhost.' ? /public|not exist/ : /public/);
    expect(await guarded.post(message(url))).toEqual(refused);
    expect(receiver.connections).toBe(0);
  });

  test.each([
    (port: number) => `http://127.0.0.1:${port}/`,
    (port: number) => `https://example.com@127.0.0.1:${port}/`,
    (port: number) => `https://example.com:pass@localhost:${port}/`,
    (port: number) => `file://127.0.0.1:${port}/etc/passwd`,
    (port: number) => `gopher://127.0.0.1:${port}/_POST`,
    (port: number) => `ftp://127.0.0.1:${port}/`,
    (port: number) => `https://127.0.0.1%2f@example.com:${port}/`,
    (port: number) => `//127.0.0.1:${port}/`,
  ])('a text that is not an https URL of a host is refused (%#)', async (urlOn) => {
    const url = urlOn(receiver.port);
    expect(await guarded.refusal(url, 1)).toMatch(/^url must/);
    expect(await guarded.post(message(url))).toEqual(refused);
    expect(receiver.connections).toBe(0);
  });

  test.each(['hooks.example.com', 'localhost.', 'LOCALHOST'])(
    '%s, which leads to this machine, is refused',
    async (name) => {
      const dns = await DnsServer.start(['127.0.0.1']);
      const sender = new HttpWebhookSender({ allowPrivate: false, lookup: dns.lookup });
      const url = `https://${name}:${receiver.port}/`;
      expect(await sender.refusal(url, 1)).toMatch(/public address/);
      expect(await sender.post(message(url))).toEqual(refused);
      expect([receiver.connections, dns.asked]).toEqual([0, 2]);
      await dns.close();
    },
  );

  test('a name that leads to this machine among others is refused', async () => {
    const dns = await DnsServer.start(['93.184.216.34', '127.0.0.1']);
    const sender = new HttpWebhookSender({ allowPrivate: false, lookup: dns.lookup });
    expect(await sender.post(message(`https://hooks.example.com:${receiver.port}/`))).toEqual(refused);
    expect(receiver.connections).toBe(0);
    await dns.close();
  });

  test('a name that was public when it was saved is looked at again at each delivery', async () => {
    const dns = await DnsServer.start(['93.184.216.34'], ['127.0.0.1']);
    const sender = new HttpWebhookSender({ allowPrivate: false, lookup: dns.lookup });
    const url = `https://hooks.example.com:${receiver.port}/`;
    expect(await sender.refusal(url, 1)).toBeNull();
    expect(await sender.post(message(url))).toMatchObject({ status: null, reason: expect.stringMatching(/public/) });
    expect(receiver.connections).toBe(0);
    await dns.close();
  });

  test('a name that leads nowhere, or is not known, is refused with a reason', async () => {
    const lookup = async () => [];
    expect(await new HttpWebhookSender({ allowPrivate: false, lookup }).refusal('https://a.example/', 1)).toMatch(
      /no address/,
    );
    const unknown = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    expect(await new HttpWebhookSender({ allowPrivate: false, lookup: unknown }).refusal('https://a.example/', 1)).toBe(
      'The host name does not exist.',
    );
  });
});

test('the connection goes to the address that was looked at: the name is not asked for again', async () => {
  // Whoever asks a second time is sent elsewhere.
  const dns = await DnsServer.start(['127.0.0.1'], ['192.0.2.1']);
  const sender = new HttpWebhookSender({ allowPrivate: true, lookup: dns.lookup });
  const url = `http://rebind.example.com:${receiver.port}/`;
  expect(await sender.post(message(url))).toEqual({ status: 204, reason: null, body: null });
  expect(dns.asked).toBe(1);
  expect(receiver.received).toMatchObject([{ headers: { host: `rebind.example.com:${receiver.port}` } }]);
  await dns.close();
});

test('with WEBHOOK_ALLOW_PRIVATE the same hosts are reached, over http too', async () => {
  const hosts = loopback.filter((host) => !['0', 'localhost.'].includes(host));
  for (const host of hosts) {
    const url = `http://${host}:${receiver.port}/hooks?a=1`;
    expect(await open.refusal(url, 1)).toBeNull();
    expect(await open.post(message(url))).toEqual({ status: 204, reason: null, body: null });
  }
  expect(receiver.received).toHaveLength(hosts.length);
  expect(receiver.received[0]).toMatchObject({ method: 'POST', path: '/hooks?a=1', body: '{}' });
});

test('a redirect to this machine is an answer like any other, and is not followed', async () => {
  const other = await Receiver.start();
  receiver.answer = (response) => response.writeHead(302, { location: other.url }).end();
  expect(await open.post(message(receiver.url))).toEqual({ status: 302, reason: null, body: null });
  expect(other.connections).toBe(0);
  await other.close();
});

test('the answer of a private address is shown only where private addresses are allowed', async () => {
  receiver.answer = (response) => response.writeHead(400).end('internal');
  expect(await open.post(message(receiver.url))).toEqual({ status: 400, reason: null, body: null });
  const reading = new HttpWebhookSender({ allowPrivate: true, readPrivate: true });
  expect(await reading.post(message(receiver.url))).toEqual({ status: 400, reason: null, body: 'internal' });
});

test.each([
  [429, '120', 120_000],
  [503, '7200', 7_200_000],
  [503, 'Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  [503, 'soon', undefined],
  [503, '9'.repeat(1000), undefined],
  [500, '120', undefined],
])('a receiver that answers %i with Retry-After: %.40s asks for a wait', async (status, written, retryAfterMs) => {
  receiver.answer = (response) => response.writeHead(status, { 'retry-after': written }).end();
  expect(await open.post(message(receiver.url))).toEqual({
    status,
    reason: null,
    body: null,
    ...(retryAfterMs && { retryAfterMs }),
  });
});

test('a receiver may name the time until which it asks to wait', async () => {
  const until = new Date(Date.now() + 600_000);
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': until.toUTCString() }).end();
  const { retryAfterMs = 0 } = await open.post(message(receiver.url));
  expect(Math.abs(Date.now() + retryAfterMs - until.getTime())).toBeLessThan(60_000);
});

describe('a receiver', () => {
  const hasty = new HttpWebhookSender({ allowPrivate: true, timeout: 300 });
  const inTime = { status: null, reason: 'The receiver did not respond in time.', body: null };

  test('that says nothing is given up', async () => {
    receiver.answer = () => undefined;
    expect(await hasty.post(message(receiver.url))).toEqual(inTime);
  });

  test('whose name no server resolves is given up', async () => {
    const silent = new HttpWebhookSender({ allowPrivate: true, timeout: 300, lookup: unanswered });
    expect(await silent.post(message('http://silent.example/'))).toEqual(inTime);
    expect(await silent.refusal('http://silent.example/', 1)).toBe(inTime.reason);
  });

  test('that begins to answer and stops has answered', async () => {
    receiver.answer = (response) => void response.writeHead(200).write('x');
    expect(await hasty.post(message(receiver.url))).toEqual({ status: 200, reason: null, body: null });
  });

  test('that never ends its answer is cut off', async () => {
    const cut = new Promise<void>((resolve) => {
      receiver.answer = (response) => {
        response.on('close', resolve);
        response.writeHead(200);
        const more = () => {
          while (response.write('x'.repeat(10_000)));
        };
        response.on('drain', more);
        more();
      };
    });
    expect(await open.post(message(receiver.url))).toEqual({ status: 200, reason: null, body: null });
    await cut;
  });

  test('that is absent, or does not speak TLS, is reported with a reason that people understand', async () => {
    const { url, port } = receiver;
    expect(await open.post(message(`https://127.0.0.1:${port}/`))).toMatchObject({ status: null });
    expect(receiver.received).toEqual([]);
    await receiver.close();
    expect(await open.post(message(url))).toEqual({ status: null, reason: 'The connection was refused.', body: null });
    receiver = await Receiver.start();
  });
});

describe('an address', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    ...['127.0.0.1', '127.255.255.255', '10.1.2.3', '172.20.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1'],
    ...['0.1.2.3', '192.0.0.8', '192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::7f00:1'],
    ...['fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'fec0::1', 'ff02::1', '64:ff9b::a00:1', '100::1'],
    ...['2001::1', '2001:db8::1', '2002:a00:1::', '3fff::1', 'not an address', ''],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
});
