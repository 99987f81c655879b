import { DAY } from '../../src/core/shared/clock.js';
import { PublicAddresses } from '../../src/http/public-addresses.js';
import { type RunningApp, type StartOptions, startApp } from './support/start-app.js';

const PATH = '/.well-known/security.txt';
const contacts = ['mailto:security@example.com', 'https://example.com/report?lang=en', 'tel:+47-555-0100'];

const running: RunningApp[] = [];
afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
});

async function start(options: StartOptions = {}): Promise<RunningApp> {
  const app = await startApp({ securityContacts: contacts, ...options });
  running.push(app);
  return app;
}

/** Its fields in their order, by the grammar of RFC 9116 §4. */
function fieldsOf(text: string): [string, string][] {
  expect(text).toMatch(/^([A-Za-z-]+: [\x21-\x7e]+\n)+$/);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
}

test('security.txt names each contact, in the order of the setting', async () => {
  const app = await start();
  const answer = await app.send({ path: PATH });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const named = fieldsOf(answer.text).filter(([name]) => name === 'Contact');
  expect(named.map(([, value]) => value)).toEqual(contacts);
});

test('security.txt expires once, in less than a year by the clock of the service, and is the same all day', async () => {
  const app = await start();
  app.clock.set(new Date('2027-02-03T00:00:00.000Z'));
  const first = await app.send({ path: PATH });
  const expires = fieldsOf(first.text).filter(([name]) => name === 'Expires');
  expect(expires).toEqual([['Expires', '2027-08-02T00:00:00.000Z']]);
  app.clock.pass(DAY - 1);
  expect((await app.send({ path: PATH })).text).toBe(first.text);
  app.clock.pass(1);
  expect((await app.send({ path: PATH })).text).toContain('Expires: 2027-08-03T00:00:00.000Z\n');
});

test('security.txt names its own address only where that is https, as RFC 9116 requires', async () => {
  const plain = await (await start()).send({ path: PATH });
  expect(plain.text).not.toContain('Canonical');
  const app = await start({ ports: () => ({ addresses: new PublicAddresses('https://photos.example.com') }) });
  const { text } = await app.send({ path: PATH });
  expect(fieldsOf(text).filter(([name]) => name === 'Canonical')).toEqual([
    ['Canonical', `https://photos.example.com${PATH}`],
  ]);
});

test('security.txt contains nothing that the operator has not configured', async () => {
  const app = await start({ ports: () => ({ addresses: new PublicAddresses('https://photos.example.com') }) });
  const names = fieldsOf((await app.send({ path: PATH })).text).map(([name]) => name);
  expect(names).toEqual(['Contact', 'Contact', 'Contact', 'Expires', 'Canonical']);
});

test('security.txt uses no budget, needs no key, may be cached for a day, and answers under any host', async () => {
  const app = await start();
  const answer = await app.send({ path: PATH, headers: { host: '203.0.113.7' } });
  expect([answer.status, answer.headers['x-ratelimit-limit'], answer.headers['cache-control']]).toEqual([
    200,
    undefined,
    'public, max-age=86400',
  ]);
});

test('security.txt answers HEAD without a body and OPTIONS with the allowed methods, and refuses others', async () => {
  const app = await start();
  const whole = await app.send({ path: PATH });
  const head = await app.send({ method: 'HEAD', path: PATH });
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
  expect([head.headers['content-type'], head.headers['content-length']]).toEqual([
    whole.headers['content-type'],
    String(whole.bytes.length),
  ]);
  const told = await app.send({ method: 'OPTIONS', path: PATH });
  expect([told.status, told.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  const refused = await app.send({ method: 'POST', path: PATH });
  expect([refused.status, refused.body.error.code]).toEqual([405, 'method_not_allowed']);
});

test('without contacts, the path of security.txt is unknown', async () => {
  const app = await start({ securityContacts: [] });
  const [absent, unknown] = [await app.send({ path: PATH }), await app.send({ path: '/.well-known/nothing' })];
  expect([absent.status, absent.body.error.code]).toEqual([404, 'not_found']);
  const own = ({ status, headers, body }: typeof absent) => [
    status,
    Object.keys(headers).sort(),
    { ...body.error, requestId: '' },
  ];
  expect(own(absent)).toEqual(own(unknown));
  expect(app.routes.filter(({ path }) => path === PATH)).toEqual([]);
});
