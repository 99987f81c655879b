import { listKeys } from '../../src/core/access/keys.js';
import type { Role } from '../../src/core/users/user.js';
import { BrowserClient, type Fields } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { Actor, type RunningApp, startApp } from '../api/support/start-app.js';

const KEYS = '/settings/keys';
const DAY = 24 * 3600 * 1000;

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;

beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = await visitor(actor);
});

async function visitor(of: Actor, role: Role = 'owner'): Promise<BrowserClient> {
  const client = new BrowserClient(app.url);
  await client.enter(app.ports, of.customerId, role);
  return client;
}

const fields = { name: 'Website', preset: 'read', ipList: '', expiresOn: '', readLimit: '', writeLimit: '' };
const create = (more: Fields = {}, page = `${KEYS}/new`) => browser.submit(page, { ...fields, ...more }, `${KEYS}/new`);
const edit = (more: Fields = {}, id = actor.keyId) =>
  browser.submit(`${KEYS}/${id}`, { ...fields, readLimit: '10000', writeLimit: '10000', ...more });
const tokenOn = ({ text }: Answer) => /id="token"[^>]*>(phs_live_\w+)</.exec(text)?.[1] ?? '';
const me = (token: string, headers: Record<string, string> = {}) =>
  app.send({ path: '/api/v1/me', headers: { authorization: `Bearer ${token}`, ...headers } });
const keys = () => listKeys(app.ports, actor.customerId);
const newest = async () => (await keys()).at(-1);

/** The key is used from here, and that is written down. */
async function use(address: string, key = actor): Promise<void> {
  await app.ports.keys.touch([{ id: key.keyId, at: app.clock.now(), ip: address }]);
}

describe('making a key', () => {
  it('shows the token once, and it works', async () => {
    const made = await create({ name: '  Website  ' });
    expect(made.status).toBe(200);
    const answer = await me(tokenOn(made));
    expect(answer.body.apiKey).toMatchObject({
      name: 'Website',
      scopes: ['customer:read', 'photos:read', 'tags:read'],
    });
    expect((await browser.get(KEYS)).text).not.toContain(tokenOn(made));
    expect(app.log.join('')).not.toContain(tokenOn(made));
  });

  it.each([
    [{ preset: 'import' }, ['customer:read', 'photos:read', 'photos:write', 'tags:read', 'tags:write']],
    [{ preset: 'full' }, ['customer:read', 'photos:read', 'photos:write', 'photos:delete', 'tags:read', 'tags:write']],
    [{ preset: 'chosen', scopes: ['tags:write', 'tags:read'] }, ['tags:read', 'tags:write']],
  ])('gives the scopes of %j', async (chosen, scopes) => {
    expect((await create(chosen)).status).toBe(200);
    expect((await newest())?.scopes).toEqual(scopes);
  });

  it.each([
    [{ name: ' ' }, 'Name must have 1 to 100 characters'],
    [{ preset: 'chosen' }, 'A key needs at least one scope'],
    [{ preset: 'chosen', scopes: ['photos:everything'] }, 'photos:everything is not a scope'],
    [{ readLimit: '301' }, 'At most 300 per minute'],
    [{ writeLimit: '31' }, 'At most 30 per minute'],
    [{ readLimit: 'many' }, 'Enter a whole number'],
    [{ expiresOn: '2026-11-20' }, 'This date is in the past'],
    [{ expiresOn: '2027-02-30' }, 'Enter a date such as'],
  ])('refuses %j beside its field, and keeps what was typed', async (wrong, message) => {
    const before = (await keys()).length;
    const answer = await create({ ipList: '192.0.2.0/24', ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
    expect(answer.text).toMatch('preset' in wrong ? 'id="scopes-error"' : 'aria-invalid="true"');
    expect(answer.text).toContain('192.0.2.0/24');
    expect(await keys()).toHaveLength(before);
  });

  it.each([
    ['10.0.0.256', '256 is too large'],
    ['10.0.0', 'an IPv4 address has four numbers, not 3'],
    ['10.0.0.0/33', 'the prefix length must be 0 to 32 for IPv4'],
    ['2001:db8::/129', 'the prefix length must be 0 to 128 for IPv6'],
    ['10.0.0.0/255.255.255.0', 'enter a prefix length instead of a mask'],
    ['010.0.0.1', 'remove leading zeros'],
    ['10.0.*.*', 'wildcards are not supported'],
    ['10.0.0.1 - 10.0.0.9', 'spans of addresses are not supported'],
    ['10.0.0.1:443', 'remove the brackets and the port'],
    ['fe80::1%eth0', 'remove the %'],
    ['2001:db8:::1', 'this is not a complete IPv6 address'],
    ['office.example.com', 'host names are not supported'],
    ['https://example.com/', 'this is a URL'],
    ['<b>', 'this is not an address or range'],
  ])('explains what is wrong with the range %s', async (range, reason) => {
    const answer = await create({ ipList: `192.0.2.1\n${range}` });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(reason);
    expect(answer.text).not.toContain('<b>');
  });

  it('accepts lines, commas and spaces, and shows ranges in their canonical spelling', async () => {
    await create({ ipList: '192.0.2.9, 10.1.2.3/8\r\n2001:DB8::1/32 192.0.2.9' });
    const key = await newest();
    expect(key?.ipList).toEqual(['192.0.2.9/32', '10.0.0.0/8', '2001:db8::/32']);
    expect((await browser.get(`${KEYS}/${key?.id}`)).text).toContain('192.0.2.9\n10.0.0.0/8\n2001:db8::/32</textarea>');
  });

  it('shows the address of the viewer, as the service sees it', async () => {
    const { text } = await browser.get(`${KEYS}/new`, { 'x-forwarded-for': '203.0.113.77' });
    expect(text).toContain('<code>203.0.113.77</code>');
  });

  it('sets the end to the last moment of the day, in UTC', async () => {
    await create({ expiresOn: '2026-11-30' });
    expect((await newest())?.expiresAt).toEqual(new Date('2026-12-01T00:00:00.000Z'));
    expect((await browser.get(`${KEYS}/${(await newest())?.id}`)).text).toContain('value="2026-11-30"');
  });

  it('is refused with an explanation when there are a hundred keys', async () => {
    for (const _ of Array.from({ length: 99 })) await actor.withKey({});
    const answer = await create();
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('at most 100 keys');
  });
});

describe('rotating', () => {
  it('creates a key like the old one, with its granted limits, and offers to delete that', async () => {
    const old = await actor.withKey({
      name: 'Nightly',
      scopes: ['tags:read'],
      ipList: ['192.0.2.0/24'],
      readLimit: 5000,
    });
    const page = `${KEYS}/new?from=${old.keyId}`;
    const shown = await browser.get(page);
    expect(shown.text).toContain('value="Nightly"');
    expect(shown.text).toContain('At most 5000.');
    const copied = {
      name: 'Nightly',
      preset: 'chosen',
      scopes: 'tags:read',
      ipList: '192.0.2.0/24',
      readLimit: '5000',
    };
    const made = await create(copied, page);
    expect(made.text).toContain(`${KEYS}/${old.keyId}/delete`);
    expect(await newest()).toMatchObject({
      name: 'Nightly',
      scopes: ['tags:read'],
      ipList: ['192.0.2.0/24'],
      readLimit: 5000,
    });
    expect((await old.get('/tags')).status).toBe(403);
    expect((await old.get('/tags', { 'x-forwarded-for': '192.0.2.5' })).status).toBe(200);
  });

  it('copies no limits from another customer’s key', async () => {
    const stranger = await app.customer('Other');
    expect((await browser.get(`${KEYS}/new?from=${stranger.keyId}`)).status).toBe(404);
    const token = /name="_csrf" value="([0-9a-f]+)"/.exec((await browser.get(`${KEYS}/new`)).text)?.[1] ?? '';
    const sent = { ...fields, _csrf: token, from: String(stranger.keyId), readLimit: '9000' };
    expect((await browser.post(`${KEYS}/new`, sent)).status).toBe(404);
  });
});

describe('editing', () => {
  it('changes name, list, day and limits at once; the token stays', async () => {
    const answer = await edit({
      name: 'Renamed',
      ipList: '192.0.2.4',
      expiresOn: '2027-01-31',
      readLimit: '100',
      writeLimit: '',
    });
    expect([answer.status, answer.headers.location]).toEqual([303, KEYS]);
    expect((await browser.get(KEYS)).text).toContain('“Renamed” was changed');
    expect(await newest()).toMatchObject({
      name: 'Renamed',
      ipList: ['192.0.2.4/32'],
      readLimit: 100,
      writeLimit: null,
    });
    expect((await me(actor.token)).status).toBe(403);
    const allowed = await me(actor.token, { 'x-forwarded-for': '192.0.2.4' });
    expect(allowed.headers['x-ratelimit-limit']).toBe('100');
  });

  it('does not change scopes, whatever is sent', async () => {
    const before = (await newest())?.scopes;
    await edit({ preset: 'read', scopes: ['tags:read'] });
    expect((await newest())?.scopes).toEqual(before);
  });

  it('keeps the exact instant of the end while its day is not changed', async () => {
    const expiresAt = new Date('2026-11-25T13:14:15.000Z');
    const key = await actor.withKey({ expiresAt });
    expect((await edit({ name: 'Same day', expiresOn: '2026-11-25' }, key.keyId)).status).toBe(303);
    expect(await newest()).toMatchObject({ name: 'Same day', expiresAt });
  });

  it('keeps limits that were granted, and lets an owner lower them but never raise them', async () => {
    expect((await edit({ readLimit: '10001' })).status).toBe(400);
    expect((await edit({ readLimit: '9000' })).status).toBe(303);
    expect((await edit({ readLimit: '9001' })).status).toBe(400);
  });

  it('asks for confirmation before it locks out addresses that used the key in the last day', async () => {
    await use('198.51.100.7');
    app.clock.pass(2 * DAY);
    await use('203.0.113.5');
    await use('2001:db8::5');
    // A session lasts a day without use.
    browser = await visitor(actor);
    expect((await browser.get(`${KEYS}/${actor.keyId}`)).text).toContain('203.0.113.5');
    const asked = await edit({ ipList: '2001:db8::/32' });
    expect(asked.status).toBe(409);
    expect(asked.text).toContain('203.0.113.5');
    expect(asked.text).not.toContain('198.51.100.7');
    expect((await newest())?.ipList).toEqual([]);
    expect((await edit({ ipList: '2001:db8::/32', lockOut: 'yes' })).status).toBe(303);
    expect((await newest())?.ipList).toEqual(['2001:db8::/32']);
  });

  it('does not ask for confirmation where nothing is locked out', async () => {
    await use('203.0.113.5');
    expect((await edit({ ipList: '203.0.113.0/24' })).status).toBe(303);
    expect((await edit({ ipList: '' })).status).toBe(303);
  });
});

describe('the list', () => {
  it('shows when and from where a key was used, and which keys are idle, ending or expired', async () => {
    const old = await app.customer('Old');
    await use('203.0.113.9', old);
    await old.withKey({ name: 'Ending', expiresAt: new Date(app.clock.now().getTime() + 100 * DAY) });
    await old.withKey({ name: 'Ended', expiresAt: new Date(app.clock.now().getTime() + DAY) });
    app.clock.pass(91 * DAY);
    const { text } = await (await visitor(old)).get(KEYS);
    expect(text).toContain('from 203.0.113.9');
    expect(text.match(/Unused for over 90 days/g)).toHaveLength(1);
    expect(text.match(/Expires soon/g)).toHaveLength(1);
    expect(text.match(/>Expired</g)).toHaveLength(1);
    expect(text).toContain('10000 reads, 10000 writes per minute');
    expect(text).not.toContain(old.token);
  });
});

describe('deleting', () => {
  it('asks for confirmation, after which the key is refused at once', async () => {
    const path = `${KEYS}/${actor.keyId}/delete`;
    expect((await browser.get(path)).text).toContain('stops working immediately');
    expect((await me(actor.token)).status).toBe(200);
    expect((await browser.submit(path)).headers.location).toBe(KEYS);
    expect((await me(actor.token)).status).toBe(401);
    expect((await browser.get(path)).status).toBe(404);
  });
});

describe('the keys of another customer', () => {
  it('are not found, on any page and for any form', async () => {
    const stranger = await app.customer('Other');
    const token = /name="_csrf" value="([0-9a-f]+)"/.exec((await browser.get(KEYS)).text)?.[1] ?? '';
    for (const id of [String(stranger.keyId), '999999', '0', 'x', '1e3']) {
      for (const path of [`${KEYS}/${id}`, `${KEYS}/${id}/delete`]) {
        expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
        const sent = await browser.post(path, { ...fields, _csrf: token });
        expect([path, sent.status]).toEqual([path, 404]);
      }
    }
    expect((await me(stranger.token)).body.apiKey.name).toBe('a key');
    expect((await browser.get(KEYS)).text).not.toContain(`/keys/${stranger.keyId}"`);
  });
});
