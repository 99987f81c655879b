import { scopes } from '../../src/core/access/caller.js';
import { listKeys } from '../../src/core/access/keys.js';
import { startBulkEdit } from '../../src/core/bulk-edits/manage-bulk-edits.js';
import { runBulkEdit } from '../../src/core/bulk-edits/run-bulk-edit.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { savePreset } from '../../src/core/delivery/preset.js';
import { saveSearch } from '../../src/core/searches/save-search.js';
import { createShare } from '../../src/core/shares/own-shares.js';
import { hashRecoveryCode } from '../../src/core/users/factors/one-time-code.js';
import { createWebhookEndpoint } from '../../src/core/webhooks/endpoints.js';
import type { Route } from '../../src/http/route-table.js';
import { BrowserClient } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { present } from '../support/tenant.js';

let app: RunningApp;
let pages: readonly Route[];
let mine: Tenant;
let stranger: Tenant;

beforeAll(async () => {
  app = await startApp();
  pages = app.routes.filter(({ path }) => path.startsWith('/settings/') && !path.startsWith('/settings/assets/'));
  [mine, stranger] = [await tenant(), await tenant()];
});
afterAll(() => app.close());

/** A customer with one of everything that a page can name, and its owner’s browser. */
interface Tenant {
  readonly actor: Actor;
  readonly browser: BrowserClient;
  readonly csrf: string;
  /** Of what stands at these paths. */
  readonly ids: Readonly<Record<string, number>>;
}

async function tenant(): Promise<Tenant> {
  const actor = await app.customer('Studio');
  const { customerId } = actor;
  const browser = new BrowserClient(app.url);
  const userId = await browser.enter(app.ports, customerId, 'owner', `o.${customerId}@example.com`);
  const bert = await new BrowserClient(app.url).enter(app.ports, customerId, 'owner', `b.${customerId}@example.com`);
  const { factor, passkey } = await app.ports.store.transaction(customerId, async ({ factors }) => {
    await factors.setRecoveryCodes(userId, [hashRecoveryCode(CODE)]);
    const at = app.ports.clock.now();
    const own = { userId, name: 'Hush hush', createdAt: at, lastUsedAt: at };
    const key = { credentialId: `hush ${customerId}`, publicKey: '', counter: 0, signsInAlone: false };
    return {
      factor: await factors.insertApp({ ...own, secret: '', lastStep: 0 }),
      passkey: present(await factors.insertPasskey({ ...own, ...key })),
    };
  });
  const at = app.ports.clock.now();
  const named = { issuer: 'https://sign-in.example.com', subject: 'bert', linkedAt: at, lastUsedAt: at };
  const identity = await app.ports.store.transaction(customerId, ({ identities }) =>
    identities.insert({ userId: bert, ...named }),
  );
  const { endpoint } = await createWebhookEndpoint(app.ports, operatorFor(customerId), {
    url: 'https://example.com/hooks',
  });
  const delivery = { name: 'shop', presetsOnly: false, expiresAt: null };
  const { key } = await createDeliveryKey(app.ports, operatorFor(customerId), delivery);
  await savePreset(app.ports, operatorFor(customerId), { name: 'card', options: 'w=300' });
  const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture(`${customerId}`) }]);
  const shared = {
    title: 'Hush hush',
    mayDownload: true,
    uploadFilesLimit: 0,
    uploadBytesLimit: 0,
    expiresAt: null,
    password: null,
    photoIds: [photo.id],
  };
  const { share } = await createShare(app.ports, operatorFor(customerId), shared);
  const rating = { kind: 'set_rating', rating: 1 } as const;
  const caller = { ...operatorFor(customerId), apiKeyId: null, scopes, ipRestricted: false };
  const edit = await startBulkEdit(app.ports, caller, rating, { photoIds: [photo.id] });
  await runBulkEdit(app.ports, customerId, edit.id);
  const search = await saveSearch(app.ports, { customerId }, { name: 'Hush hush', query: 'rating=4' });
  const tags = await actor.put(`/photos/${photo.id}/tags`, { tagNames: ['Hush hush'] });
  const begun = await actor.post('/imports', { clientRef: 'half way' });
  const announced = await actor.post(`/imports/${begun.body.id}/photos`, { photos: [awaited] });
  const { deliveries, sessions } = await app.ports.store.query(customerId, async (reader) => ({
    deliveries: await reader.deliveries.list(endpoint.id, null, 1),
    sessions: await reader.users.sessionsOf(userId),
  }));
  const { text } = await browser.get('/settings/library');
  const ids = {
    '/settings/photos': photo.id,
    '/settings/tags': tags.body.data[0].id,
    '/settings/imports': begun.body.id,
    '/settings/import': begun.body.id,
    ':photoId': announced.body.data[0].photo.id,
    '/settings/keys': actor.keyId,
    '/settings/delivery/keys': key.id,
    '/settings/shares': share.id,
    '/settings/history': edit.id,
    '/settings/searches': search.id,
    '/settings/webhooks': endpoint.id,
    ':deliveryId': present(deliveries[0]).id,
    '/settings/account/people': bert,
    '/settings/account/factors': factor.id,
    '/settings/account/factors/passkeys': passkey.id,
    '/settings/account/identities': present(identity).id,
    '/settings/account/sessions': present(sessions[0]).id,
  };
  return { actor, browser, csrf: present(/name="csrf-token" content="([0-9a-f]+)"/.exec(text)?.[1]), ids };
}

/** A recovery code of each owner. */
const CODE = 'AAAA-BBBB-CCCC-DDDD';

const awaited = { filename: 'b.jpg', sizeBytes: 1000, contentType: 'image/jpeg' };

/** What the scripts of pages send; everything else is a form. */
const scripted: Readonly<Record<string, object>> = {
  '/settings/import/:id/photos': { photos: [{ ...awaited, filename: 'c.jpg' }] },
  '/settings/import/:id/finish': { missingUploads: 'fail' },
  '/settings/import/:id/photos/:photoId/arrived': {},
};
/** Good enough for every form, so that nothing but whose it is can be wrong. */
const fields = {
  ...{
    name: 'Name',
    title: 'Title',
    description: '',
    color: '',
    otherColor: '#000000',
    url: 'https://example.com/other',
    which: 'all',
  },
  ...{ role: 'editor', missing: 'fail', ips: '', expires: '', readLimit: '', writeLimit: '' },
  ...{ x: '50', y: '50', code: CODE },
  ...{ direction: 'later', hours: '1' },
};

const withIds = (path: string) => /:(id|[a-z]+Id)\b/.test(path);

function addressOf(path: string, { ids }: Tenant): string {
  const area = path.slice(0, path.indexOf('/:'));
  return path.replaceAll(/:([a-zA-Z]+)/g, (parameter, name) => {
    if (name === 'name') return 'thumb';
    if (name === 'preset') return 'card';
    if (name === 'provider') return 'none';
    const id = ids[name === 'id' ? area : parameter];
    if (id === undefined) throw new Error(`say whose id ${parameter} of ${path} is`);
    return String(id);
  });
}

/** Sends what this route takes, in the name of one customer, about what another one has. */
function send({ method, path }: Route, who: Tenant, whose: Tenant): Promise<Answer> {
  const address = addressOf(path, whose);
  if (method === 'GET') return who.browser.get(address);
  const body = scripted[path];
  const tag = path.endsWith('/tags/remove') ? String(whose.ids['/settings/tags']) : 'x';
  if (body === undefined) return who.browser.post(address, { ...fields, tag, _csrf: who.csrf });
  const headers = { accept: 'application/json', origin: app.url, 'x-csrf-token': who.csrf };
  return who.browser.send({ method, path: address, body, headers });
}

/** All that a stranger could have changed. */
async function everythingOf({ actor, browser, ids }: Tenant): Promise<unknown> {
  const read = async (path: string) => (await actor.get(path)).body;
  const people = await app.ports.store.query(actor.customerId, ({ users }) => users.list());
  const sessions = people.map(({ id }) => app.ports.store.query(actor.customerId, ({ users }) => users.sessionsOf(id)));
  const endpoints = await app.ports.store.query(actor.customerId, (reader) => reader.webhookEndpoints.list());
  const deliveryKeys = await app.ports.store.query(actor.customerId, (reader) => reader.deliveryKeys.list());
  const shares = await app.ports.store.query(actor.customerId, (reader) => reader.shares.list());
  const factors = await app.ports.store.query(actor.customerId, async (reader) => [
    await reader.factors.listApps(),
    await Promise.all(people.map(({ id }) => reader.factors.passkeysOf(id))),
  ]);
  const identities = await app.ports.store.query(actor.customerId, (reader) => reader.identities.list());
  const searches = await app.ports.store.query(actor.customerId, (reader) => reader.savedSearches.list());
  const presets = await app.ports.store.query(actor.customerId, (reader) => reader.presets.list());
  const edits = await app.ports.store.query(actor.customerId, (reader) => reader.bulkEdits.list(null, 100));
  const sent = await app.ports.store.query(actor.customerId, (reader) =>
    reader.deliveries.list(ids['/settings/webhooks'] ?? 0, null, 100),
  );
  return {
    photo: await read(`/photos/${ids['/settings/photos']}?trashed=any`),
    tags: await read('/tags'),
    import: await read(`/imports/${ids['/settings/import']}?include=photos`),
    keys: (await listKeys(app.ports, actor.customerId)).map(({ lastUsedAt: _, lastUsedIp: __, ...key }) => key),
    ...{ people, endpoints, deliveryKeys, shares, factors, identities, edits, searches, presets, sent },
    sessions: (await Promise.all(sessions)).flat().map(({ id }) => id),
    signedIn: (await browser.get('/settings/account')).status,
  };
}

test('every page and form with an id is refused for those of another customer, and changes nothing', async () => {
  const before = await everythingOf(mine);
  const routes = pages.filter(({ path }) => withIds(path));
  expect(routes.length).toBeGreaterThan(40);
  const answers: unknown[] = [];
  for (const route of routes) answers.push([route.method, route.path, (await send(route, stranger, mine)).status]);
  expect(answers).toEqual(routes.map(({ method, path }) => [method, path, 404]));
  expect(await everythingOf(mine)).toEqual(before);
});

test('every page and form with an id is available to those of its customer', async () => {
  const missing: unknown[] = [];
  for (const route of pages.filter(({ path }) => withIds(path))) {
    // Forms leave nothing as it was for the next.
    const own = route.method === 'GET' ? mine : await tenant();
    const { status } = await send(route, own, own);
    // 409: the file that was announced has not arrived.
    if (![200, 303, 409].includes(status)) missing.push([route.method, route.path, status]);
  }
  expect(missing).toEqual([]);
});

test('ids in addresses and fields of forms lead to nothing of another customer, either', async () => {
  const before = await everythingOf(mine);
  const { ids } = mine;
  const [photo, tag, key] = [ids['/settings/photos'], ids['/settings/tags'], ids['/settings/keys']].map(String);
  for (const path of [
    `/settings/tags/merge?id=${tag}&id=${stranger.ids['/settings/tags']}`,
    `/settings/library?import=${ids['/settings/import']}`,
    `/settings/import?import=${ids['/settings/import']}`,
    `/settings/usage?key=${key}`,
    `/settings/keys/new?like=${key}`,
  ]) {
    const { text } = await stranger.browser.get(path);
    expect([path, text.includes('half way') || text.includes(`/settings/photos/${photo}`)]).toEqual([path, false]);
  }
  const post = (path: string, form: object) => stranger.browser.post(path, { ...form, _csrf: stranger.csrf });
  const own = String(stranger.ids['/settings/tags']);
  await post('/settings/tags/merge', { id: [String(tag), own], into: String(tag) });
  await post('/settings/tags/merge', { id: [String(tag), own], into: own });
  for (const what of ['tag', 'trash', 'restore', 'delete']) {
    await post('/settings/library/selection', { do: what, ids: String(photo), tag: 'x', confirmed: 'yes' });
  }
  await post(`/settings/photos/${stranger.ids['/settings/photos']}/tags/remove`, { tag: String(tag) });
  expect(await everythingOf(mine)).toEqual(before);
});

describe('every page', () => {
  const isPage = ({ method, path }: Route) =>
    method === 'GET' &&
    !/export|\.csv$|original|full$|rendition|preview|state$|tag-names|library\/(ids|count|sections)/.test(path);

  it('loads only files of the service, is not cached, and sends nothing to other sites', async () => {
    for (const { path } of pages.filter(isPage)) {
      const address = path.endsWith(':token') ? path.replace(':token', 'none') : addressOf(path, mine);
      const { headers, status } = await mine.browser.get(address);
      if (status === 303) continue;
      expect([path, headers['content-type']]).toEqual([path, 'text/html; charset=utf-8']);
      const policy = Object.fromEntries(
        String(headers['content-security-policy'])
          .split('; ')
          .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]),
      );
      expect([path, policy]).toEqual([
        path,
        expect.objectContaining({
          ...{ 'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'", 'form-action': "'self'" },
          ...{ 'base-uri': "'none'", 'frame-ancestors': "'none'" },
        }),
      ]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('requires a person who is signed in, except the pages for signing in', async () => {
    const nobody = new BrowserClient(app.url);
    for (const { path, access } of pages.filter(isPage)) {
      if (access?.needs === 'visitor') continue;
      const { status, headers } = await nobody.get(addressOf(path, mine));
      expect([path, status, String(headers.location).split('?')[0]]).toEqual([path, 303, '/settings/sign-in']);
    }
    expect([...nobody.cookies.keys()]).toEqual([]);
  });
});

test('every cookie is for this site alone, and not for scripts', async () => {
  const browser = new BrowserClient(app.url);
  const { actor } = mine;
  const lines: string[] = [];
  const noted = browser.send.bind(browser);
  browser.send = async (parts) => {
    const answer = await noted(parts);
    lines.push(...(answer.headers['set-cookie'] ?? []));
    return answer;
  };
  await browser.enter(app.ports, actor.customerId, 'editor', `c.${actor.customerId}@example.com`);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/; HttpOnly; SameSite=(Lax|Strict)$/);
});

test('the log of all these requests contains no credentials and no details of photos', () => {
  const log = app.log.join('');
  expect(app.log.length).toBeGreaterThan(100);
  const words = [mine, stranger].flatMap(({ actor, csrf, browser }) => [
    actor.token,
    csrf,
    ...browser.cookies.values(),
  ]);
  const told = [...words, 'Hush hush', 'a.jpg', 'half way', '@example.com'].filter((word) => log.includes(word));
  expect(told).toEqual([]);
  expect(/\/(uploads|renditions|enter)\/[^:"]/.exec(log)).toBeNull();
});
