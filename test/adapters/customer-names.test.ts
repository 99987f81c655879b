import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CustomerNames, type CustomerNamesOptions } from '../../src/adapters/outgoing/customer-names.js';
import { HttpWebhookSender } from '../../src/adapters/webhooks/http-webhook-sender.js';
import { until } from '../e2e/support/processes.js';
import { DnsServer } from '../support/dns-server.js';

let folder: string;
let dns: DnsServer;
let time: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phs-names-'));
  dns = await DnsServer.start(['203.0.113.7']);
  time = 0;
});
afterEach(async () => {
  await dns.close();
  rmSync(folder, { recursive: true });
});

/** Names that this server knows, with a hosts file of these lines. */
function namesOf(hosts = '', options: CustomerNamesOptions = {}): CustomerNames {
  writeFileSync(join(folder, 'hosts'), hosts);
  return new CustomerNames({
    servers: [dns.address],
    hostsFile: join(folder, 'hosts'),
    now: () => time,
    ...options,
  });
}

const waiting = new AbortController().signal;
const addressesOf = async (names: CustomerNames, name: string, customerId = 1) =>
  (await names.lookup(name, { customerId, signal: waiting })).map(({ address }) => address);

test('the hosts file comes first, with all addresses of a name, whatever its case, and without comments', async () => {
  const names = namesOf(
    '192.0.2.1 other a.example # b.example\n::2\tA.Example\n#192.0.2.9 a.example\nnonsense a.example',
  );
  expect(await addressesOf(names, 'a.example')).toEqual(['192.0.2.1', '::2']);
  expect(dns.asked).toBe(0);
  expect(await addressesOf(names, 'b.example.')).toEqual(['203.0.113.7']);
  expect(dns.names).toEqual(['b.example']);
});

test('localhost is resolved to this machine without a name server and without a hosts file', async () => {
  const names = namesOf('', { hostsFile: join(folder, 'none') });
  expect(await addressesOf(names, 'localhost')).toEqual(['127.0.0.1', '::1']);
  expect(await addressesOf(names, 'a.localhost')).toEqual(['127.0.0.1', '::1']);
  expect(dns.asked).toBe(0);
});

test('a resolved name is reused for seconds, and looked up again after them', async () => {
  const names = namesOf();
  await Promise.all([
    addressesOf(names, 'a.example'),
    addressesOf(names, 'a.example'),
    addressesOf(names, 'A.example.'),
  ]);
  time += 4_999;
  await addressesOf(names, 'a.example', 2);
  expect(dns.asked).toBe(1);
  time += 1;
  await addressesOf(names, 'a.example');
  expect(dns.asked).toBe(2);
});

test('a name that does not exist and one without an answering server are distinguished, and neither is looked up again at once', async () => {
  const names = namesOf('', { timeout: 100 });
  for (const [name, code] of [
    ['a.absent.example', 'ENOTFOUND'],
    ['a.silent.example', 'EAI_AGAIN'],
  ] as const) {
    await expect(addressesOf(names, name)).rejects.toMatchObject({ code });
    const { asked } = dns;
    await expect(addressesOf(names, name)).rejects.toMatchObject({ code });
    expect(dns.asked).toBe(asked);
  }
});

// F37, A39.
test('names without an answering server occupy few look-ups of their customer, and none of another', async () => {
  const names = namesOf('', { timeout: 600_000 });
  const stop = new AbortController();
  const hostile = Array.from({ length: 50 }, (_, n) =>
    names
      .lookup(`h${n}.silent.example`, { customerId: 1, signal: AbortSignal.any([stop.signal]) })
      .catch(() => 'stopped'),
  );
  const asked = () => new Set(dns.names.filter((name) => name.endsWith('.silent.example')));
  await until('the first look-ups', () => asked().size > 0);
  for (let n = 0; n < 20; n += 1) expect(await addressesOf(names, `a${n}.example`, 2)).toEqual(['203.0.113.7']);
  expect(asked().size).toBe(4);
  stop.abort();
  expect(new Set(await Promise.all(hostile))).toEqual(new Set(['stopped']));
});

test('a look-up that no caller waits for any longer is not made', async () => {
  const names = namesOf('', { timeout: 300 });
  const stop = new AbortController();
  const hostile = Array.from({ length: 12 }, (_, n) =>
    names.lookup(`h${n}.silent.example`, { customerId: 1, signal: AbortSignal.any([stop.signal]) }).catch(() => null),
  );
  await until('the first look-ups', () => dns.names.length >= 4);
  stop.abort();
  await Promise.all(hostile);
  expect(await addressesOf(names, 'a.example')).toEqual(['203.0.113.7']);
  expect(new Set(dns.names.filter((name) => name.startsWith('h'))).size).toBe(4);
});

test('a webhook whose name cannot be resolved is reported as that, not as a receiver without a response', async () => {
  const { lookup } = namesOf('', { timeout: 100 });
  const sender = new HttpWebhookSender({ allowPrivate: false, lookup });
  const message = { customerId: 1, url: 'https://hooks.silent.example/', headers: {}, body: '{}' };
  const reason = 'The host name could not be resolved.';
  expect(await sender.refusal(message.url, 1)).toBe(reason);
  expect(await sender.post(message)).toEqual({ status: null, reason, body: null });
});
