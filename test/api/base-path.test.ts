import { OpenIdProvider } from '../../src/adapters/oidc/open-id-provider.js';
import { configOf } from '../../src/composition/blob-stores.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { deliverySignature } from '../../src/core/delivery/signed-address.js';
import { createShare } from '../../src/core/shares/own-shares.js';
import { PublicAddresses } from '../../src/http/public-addresses.js';
import { publicHtml, withoutBasePath } from '../../src/http/server/base-path.js';
import { providerSettings } from '../../testing/memory/users/memory-identities.js';
import { builtProgram } from '../support/built-program.js';
import { OpenIdServer } from '../support/openid-server.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import { present } from '../support/tenant.js';
import { BrowserClient, PASSWORD } from './support/browser-client.js';
import type { Answer, RequestParts } from './support/http-client.js';
import { importPhotos, picture, sha256 } from './support/photos.js';
import { sendBytes } from './support/send-bytes.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

const BASE = '/photos';
const HOST = 'https://example.test';
const SITE = `${HOST}${BASE}`;
const addresses = new PublicAddresses(SITE);

/** What becomes of the path of a request on its way to the service. */
const forms: readonly (readonly [string, (path: string) => string])[] = [
  ['a proxy that leaves the path as it is', (path) => path],
  ['a proxy that removes the path of PUBLIC_URL', (path) => path.slice(BASE.length) || '/'],
];

/** A browser behind such a proxy, which is asked for nothing outside of PUBLIC_URL. */
class BrowserBehindProxy extends BrowserClient {
  constructor(
    url: string,
    private readonly inForm: (path: string) => string,
  ) {
    super(url);
  }

  override send(parts: RequestParts): Promise<Answer> {
    return super.send({ ...parts, path: this.inForm(under(parts.path)) });
  }
}

/** The path of an address that must be one below PUBLIC_URL. */
function under(address: string): string {
  const path = address.replace(HOST, '');
  if (path !== BASE && !path.startsWith(`${BASE}/`)) throw new Error(`${address} is not under ${SITE}`);
  return path;
}

let app: RunningApp;
let actor: Actor;
let keycloak: OpenIdServer;

beforeAll(async () => {
  await builtProgram();
  keycloak = await OpenIdServer.start(`${SITE}/settings/sign-in/with/keycloak/answer`);
  const settings = providerSettings({ id: 'keycloak', name: 'Keycloak', issuer: keycloak.issuer });
  const client = { clientId: 'photos', clientSecret: 'a secret of the client', scopes: [] };
  const provider = new OpenIdProvider({
    settings,
    ...client,
    claims: { verified: 'email_verified', groups: 'groups' },
  });
  app = await startApp({
    ports: () => ({ addresses, identityProviders: [provider] }),
    operatorApi: true,
    securityContacts: ['mailto:security@example.test'],
  });
});
afterAll(async () => {
  await app.close();
  await keycloak.close();
});
beforeEach(async () => {
  // The provider's tokens are of this moment.
  app.clock.set(new Date());
  actor = await app.customer('Studio North');
});

const emailOf = (of: Actor) => `anna.${of.customerId}@example.com`;

async function owner(inForm: (path: string) => string): Promise<BrowserBehindProxy> {
  const browser = new BrowserBehindProxy(app.url, inForm);
  await browser.enter(app.ports, actor.customerId, 'owner', emailOf(actor));
  return browser;
}

async function share(photoIds: readonly number[], password: string | null = null): Promise<string> {
  const limits = { uploadFilesLimit: 10, uploadBytesLimit: 1_000_000, expiresAt: null };
  const values = { title: 'Alps', mayDownload: true, photoIds, password, ...limits };
  const caller = { customerId: actor.customerId, actor: commandLine };
  return `${BASE}/s/${(await createShare(app.ports, caller, values)).token}`;
}

const someFiles = (...names: string[]) => names.map((name) => ({ filename: `${name}.jpg`, content: picture(name) }));

/** The values of attributes that are addresses, but for `next` and other fields of forms, which stay with the service. */
function addressesIn(html: string): readonly { readonly name: string; readonly path: string }[] {
  const plain = html.replaceAll('&amp;', '&');
  return [...plain.matchAll(/ ([a-z-]+)="((?:\/|https:\/\/example\.test)[^"]*)"/g)].flatMap(
    ([, name = '', value = '']) => {
      if (name === 'value' || name === 'content') return [];
      const each = name === 'srcset' ? value.split(', ').map((source) => source.split(' ')[0] ?? '') : [value];
      return each.map((path) => ({ name, path: path.split('#')[0] ?? '' }));
    },
  );
}

/** What styles and scripts load, resolved as a browser does it. */
function loadedBy(path: string, text: string): readonly string[] {
  const found = path.endsWith('.css')
    ? text.matchAll(/url\("([^"]+)"\)/g)
    : text.matchAll(/(?:from |import\(|new URL\()'(\.{1,2}\/[^']+\.js)'/g);
  return [...found].map(([, name = '']) => new URL(name, `${HOST}${path}`).pathname);
}

/** Follows every address that pages show, each kind of page once. @returns the paths, and every problem */
async function crawl(browser: BrowserBehindProxy, begin: readonly string[]) {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  const waiting: { method: string; path: string; from: string }[] = [];
  const add = (method: string, address: string, from: string) => {
    try {
      const { pathname, searchParams } = new URL(under(address), HOST);
      // Ids apart, filters and cursors lead to the same pages.
      const key = `${method} ${pathname.replace(/\d+/g, 'N')}?${[...new Set(searchParams.keys())].sort().join()}`;
      if (seen.has(key) || pathname.includes('{')) return;
      seen.set(key, pathname);
      waiting.push({ method, path: under(address), from });
    } catch (error) {
      problems.push(`${from}: ${(error as Error).message}`);
    }
  };
  for (const path of begin) add('GET', path, 'the beginning');
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { method, path, from } = next;
    // Without the token of a form nothing happens; whether there is a route is decided before.
    const { status, headers, text } = await (method === 'GET' ? browser.get(path) : browser.post(path, {}));
    // Requests that the reference tries out need a key.
    const isThere =
      method === 'GET' ? [200, 303].includes(status) || from.endsWith('(data-path)') : ![404, 405].includes(status);
    if (!isThere) problems.push(`${method} ${path}, from ${from}: ${status}`);
    if (headers.location?.startsWith(keycloak.issuer) === false) add('GET', headers.location, path);
    const type = String(headers['content-type']);
    if (type.startsWith('text/html')) {
      const posts = text.match(/<form[^>]* method="post"[^>]*>/g) ?? [];
      for (const { name, path: to } of addressesIn(text)) {
        const isForm =
          name === 'formaction' ||
          name === 'data-passkey' ||
          (name === 'action' && posts.some((form) => form.includes(` action="${to.replaceAll('&', '&amp;')}"`)));
        add(isForm ? 'POST' : 'GET', to, `${path} (${name})`);
      }
    } else if (/^text\/(css|javascript)/.test(type)) {
      for (const to of loadedBy(path, text)) add('GET', to, path);
      const [bare] = /(?<!publicPath|ask|>|replace)(?:\(\s*|[=:?] )['"`]\/(?:settings|docs|api|s)\b.*/.exec(text) ?? [];
      if (bare !== undefined) problems.push(`${path} uses a path without that of PUBLIC_URL: ${bare}`);
    }
  }
  return { problems, paths: [...seen.values()] };
}

describe.each(forms)('%s', (_, inForm) => {
  const at = (path: string) => inForm(under(path));

  test('every link, form, file and redirect of every page is under PUBLIC_URL and exists', async () => {
    const [photo, trashed] = await importPhotos(app, actor, someFiles('a', 'b', 'c'));
    await actor.put(`/photos/${photo.id}/tags`, { tagNames: ['Snow'] });
    await actor.delete(`/photos/${trashed.id}`);
    const shared = await share([photo.id]);
    const browser = await owner(inForm);
    const begin = [BASE, `${BASE}/`, `${BASE}/settings/library?view=trash`, `${BASE}/docs`, `${BASE}/openapi.json`];
    const more = [shared, await share([photo.id], 'a password of visitors'), `${BASE}/.well-known/security.txt`];
    const { problems, paths } = await crawl(browser, [...begin, ...more]);
    expect(problems).toEqual([]);
    const expected = [
      '/docs/guides/quick-start',
      '/settings/webhooks',
      '/settings/account/people',
      '/settings/imports',
    ];
    for (const path of expected) expect(paths).toContain(`${BASE}${path}`);
    for (const part of [
      /\/settings\/assets\/\w+\/styles\/check\.svg$/,
      /\/public-path\.js$/,
      /\/settings\/photos\/\d+$/,
    ]) {
      expect(paths.filter((path) => part.test(path))).not.toEqual([]);
    }
    expect(paths).toContain(`${shared}/photos/${photo.id}/large`);
    expect(paths.length).toBeGreaterThan(200);
  });

  test('an import is completed with the addresses that the responses contain', async () => {
    const send = (method: string, address: string, body?: unknown) => actor.send({ method, path: at(address), body });
    const created = await send('POST', `${BASE}/api/v1/imports`);
    expect([created.status, created.headers.location]).toEqual([201, `${BASE}/api/v1/imports/${created.body.id}`]);
    const address = String(created.headers.location);
    expect((await send('GET', address)).body.id).toBe(created.body.id);
    const files = ['one', 'two'].map((name) => picture(`${name} ${created.body.id}`));
    const photos = files.map((bytes, n) => ({ filename: `${n}.jpg`, sizeBytes: bytes.length, sha256: sha256(bytes) }));
    const registered = await send('POST', `${address}/photos`, { photos });
    const [first, second] = registered.body.data.map(
      ({ photo }: { photo: { upload: { url: string } } }) => photo.upload.url,
    );
    expect(first).toMatch(/^https:\/\/example\.test\/photos\/uploads\/[^/]+$/);
    expect((await app.send({ method: 'PUT', path: at(first), body: files[0] })).status).toBe(204);
    const tus = { 'tus-resumable': '1.0.0' };
    const offset = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    expect((await app.send({ method: 'HEAD', path: at(second), headers: tus })).headers['upload-offset']).toBe('0');
    const patched = await app.send({ method: 'PATCH', path: at(second), headers: offset, body: [present(files[1])] });
    expect(patched.status).toBe(204);
    await send('POST', `${address}/finalize`);
    await app.work();
    const list = async (cursor = '') => (await send('GET', `${BASE}/api/v1/photos?limit=1&include=urls${cursor}`)).body;
    const page = await list();
    const next = await list(`&cursor=${page.pagination.nextCursor}`);
    expect(new Set([page.data[0].sha256, next.data[0].sha256])).toEqual(new Set(files.map(sha256)));
    const rendition = await app.send({ path: at(page.data[0].urls.thumb) });
    expect([rendition.status, rendition.headers['content-type']]).toEqual([200, 'image/jpeg']);
    const download = await send('GET', `${BASE}/api/v1/photos/${page.data[0].id}/download`);
    expect(sha256(download.bytes)).toBe(page.data[0].sha256);
  });

  test('a person signs in on the way to a page, with cookies for this path alone, and signs out', async () => {
    await owner(inForm);
    const browser = new BrowserBehindProxy(app.url, inForm);
    const wanted = `${BASE}/settings/tags?sort=name`;
    const asked = await browser.get(wanted);
    expect(asked.headers.location).toBe(
      `${BASE}/settings/sign-in?next=${encodeURIComponent('/settings/tags?sort=name')}`,
    );
    const credentials = { email: emailOf(actor), password: PASSWORD };
    const entered = await browser.submit(String(asked.headers.location), credentials, `${BASE}/settings/sign-in`);
    expect([entered.status, entered.headers.location]).toEqual([303, wanted]);
    expect((await browser.get(wanted)).status).toBe(200);
    expect(browser.setCookies.length).toBeGreaterThan(2);
    for (const line of browser.setCookies) expect(line).toMatch(/^__Secure-phs\w*=.*; Path=\/photos; .*Secure/);
    expect([...browser.cookies.keys()]).toContain('__Secure-phs');
    const left = await browser.submit(wanted, {}, `${BASE}/settings/sign-out`);
    expect([left.headers.location, left.headers['clear-site-data']]).toEqual([`${BASE}/settings/sign-in`, '"cache"']);
    expect((await browser.get(wanted)).status).toBe(303);
  });

  test('a form that changes access asks for the password at its own address under PUBLIC_URL, and leads back to the page before', async () => {
    const browser = await owner(inForm);
    app.clock.pass(60 * 60 * 1000);
    const page = `${BASE}/settings/keys/new`;
    const fields = { ...(await browser.open(page)), name: 'site' };
    const headers = { referer: `${SITE}/settings/keys/new` };
    const asked = await browser.post(page, fields, headers);
    expect(asked.text).toContain('Confirm that it is you');
    expect(asked.text).toContain(`<form method="post" action="${page}"`);
    expect(asked.text).toContain(`href="${BASE}/settings/keys/new">`);
  });

  test('a provider sends people back to PUBLIC_URL', async () => {
    await owner(inForm);
    const subject = `person-${actor.customerId}`;
    keycloak.people.set(subject, { email: emailOf(actor), email_verified: true, groups: [] });
    const visitor = new BrowserBehindProxy(app.url, inForm);
    const left = await visitor.get(`${BASE}/settings/sign-in/with/keycloak?next=%2Fsettings%2Ftags`);
    const back = await keycloak.signIn(String(left.headers.location), subject);
    expect(back).toMatch(/^https:\/\/example\.test\/photos\/settings\/sign-in\/with\/keycloak\/answer\?/);
    const entered = await visitor.get(back.replace(HOST, ''));
    expect([entered.status, entered.headers.location]).toEqual([303, `${BASE}/settings/tags`]);
    expect((await visitor.get(`${BASE}/settings/tags`)).status).toBe(200);
  });

  test('a passkey belongs to the host of PUBLIC_URL, and is asked for where buttons say', async () => {
    const site = present(addresses.passkeySite);
    expect(site).toEqual({ id: 'example.test', origin: HOST });
    const device = new SoftwareAuthenticator(site);
    /** What a script asks at the address of the page's button for. */
    const ask = async (who: BrowserClient, { text }: Answer) => {
      const [, from = ''] = / data-passkey="([^"]+)"/.exec(text) ?? [];
      const [, csrf = ''] = /name="csrf-token" content="([^"]*)"/.exec(text) ?? [];
      const type = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
      const headers = { ...type, 'x-csrf-token': csrf };
      return { csrf, options: (await who.send({ method: 'POST', path: from, body: 'alone=yes', headers })).body };
    };
    const browser = await owner(inForm);
    const passkeys = `${BASE}/settings/account/factors/passkeys`;
    const form = await browser.submit(`${BASE}/settings/account/factors`, {}, `${passkeys}/new`);
    const { csrf, options } = await ask(browser, form);
    const fields = { _csrf: csrf, name: 'Laptop', alone: 'yes', newPasskey: device.made(options.challenge) };
    expect((await browser.post(passkeys, fields)).status).toBe(200);
    const there = new BrowserBehindProxy(app.url, inForm);
    const page = `${BASE}/settings/sign-in`;
    const { challenge } = (await ask(there, await there.get(page))).options;
    const passkey = device.used(challenge, Buffer.from(options.user.id, 'base64url').toString());
    const proved = await there.submit(page, { passkey }, `${page}/passkey`);
    expect([proved.status, proved.headers.location]).toEqual([303, `${BASE}/settings/library`]);
  });

  test('a share opens with its password, by a cookie for its link alone', async () => {
    const [photo] = await importPhotos(app, actor, someFiles('a', 'b'));
    const path = await share([photo.id], 'a password of visitors');
    const visitor = new BrowserBehindProxy(app.url, inForm);
    expect((await visitor.get(`${path}/photos.json`)).status).toBe(403);
    const entered = await visitor.submit(path, { password: 'a password of visitors' }, `${path}/password`);
    expect([entered.status, entered.headers.location]).toEqual([303, path]);
    expect(visitor.setCookies).toEqual([expect.stringContaining(`; Path=${path}; `)]);
    const { data } = (await visitor.get(`${path}/photos.json`)).body;
    for (const size of ['thumb', 'preview', 'large', 'download']) {
      expect(data[0][size]).toBe(`${path}/photos/${photo.id}/${size}`);
      expect((await visitor.get(data[0][size])).status).toBe(200);
    }
    expect((await visitor.get(`${BASE}/s/none`)).text).toContain(`href="${BASE}/s/-/assets/`);
  });

  test('a signed image is shown, and the signature covers the path from /img/ on', async () => {
    const [photo] = await importPhotos(app, actor, someFiles('a'));
    const caller = { customerId: actor.customerId, actor: commandLine };
    const key = await createDeliveryKey(app.ports, caller, { name: 'site', presetsOnly: false, expiresAt: null });
    const signed = `/img/${key.key.publicId}/${photo.id}/w=100`;
    const query = `?sig=${deliverySignature(key.secret, signed)}`;
    expect((await app.send({ path: at(`${BASE}${signed}${query}`) })).status).toBe(200);
    const absolute = `${HOST}${at(`${BASE}${signed}${query}`)}`;
    const answer = await sendBytes(
      app.url,
      `GET ${absolute} HTTP/1.1\r\nHost: example.test\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    const wrong = `?sig=${deliverySignature(key.secret, `${BASE}${signed}`)}`;
    expect((await app.send({ path: at(`${BASE}${signed}${wrong}`) })).status).toBe(403);
    const said = (text: string) => app.log.filter((line) => line.includes(text)).length;
    expect(said('"route":"/img/:deliveryKeyId/:photoId/:imageOptions"')).toBeGreaterThanOrEqual(3);
    expect([said(query), said(signed), said(wrong), said(`${BASE}/img/`)]).toEqual([0, 0, 0, 0]);
  });

  test('the documents name the address that they describe', async () => {
    const document = await app.send({ path: at(`${BASE}/openapi.json`) });
    expect(document.body.servers[0].url).toBe(BASE);
    expect(document.text).toContain(`](${BASE}/docs)`);
    expect(document.text).not.toContain('](/docs');
    const page = await app.send({ path: at(`${BASE}/docs`) });
    const again = { 'if-none-match': present(page.headers.etag) };
    expect((await app.send({ path: at(`${BASE}/docs`), headers: again })).status).toBe(304);
    const operator = await app.operator();
    const headers = { authorization: `Bearer ${operator.token}`, 'idempotency-key': `a-${inForm(`${BASE}/x`)}` };
    const body = { name: 'Studio South' };
    const made = await app.send({ method: 'POST', path: at(`${BASE}/operator/v1/customers`), headers, body });
    expect([made.status, made.headers.location]).toEqual([201, `${BASE}/operator/v1/customers/${made.body.id}`]);
    const described = await app.send({ path: at(`${BASE}/operator/openapi.json`) });
    expect([described.status, described.body.servers[0].url]).toEqual([200, BASE]);
    const contacts = (await app.send({ path: at(`${BASE}/.well-known/security.txt`) })).text;
    expect(contacts).toContain(`Canonical: ${SITE}/.well-known/security.txt\n`);
    expect(contacts).toContain(`Canonical: ${HOST}/.well-known/security.txt\n`);
  });

  test('scripts get paths that they can request as they are', async () => {
    const photos = await importPhotos(app, actor, someFiles('a', 'b'));
    const browser = await owner(inForm);
    const library = await browser.get(`${BASE}/settings/library`);
    const csrf = /name="csrf-token" content="([^"]*)"/.exec(library.text)?.[1] ?? '';
    const [, action = ''] = /<form[^>]* action="([^"]*selection[^"]*)"/.exec(library.text) ?? [];
    const json = { accept: 'application/json' };
    const fields = { _csrf: csrf, do: 'trash', ids: photos.map(({ id }) => String(id)) };
    const { undo } = (await browser.post(action, fields, json)).body;
    expect(undo.action).toMatch(/^\/photos\/settings\/history\/\d+\/undo/);
    const undone = await browser.post(undo.action, { _csrf: csrf, [undo.field]: undo.values }, json);
    expect(undone.body.text).toContain('Undone');
    const lines = (await browser.get(`${BASE}/settings/account/export/photos.jsonl`)).text.trim().split('\n');
    const paths = lines.map((line) => JSON.parse(line).download);
    expect(paths.sort()).toEqual(photos.map(({ id }) => `${BASE}/api/v1/photos/${id}/download`).sort());
  });

  test('pages answer at the host of PUBLIC_URL only, the API and the health checks at any host', async () => {
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await app.send({ path: at(`${BASE}${path}`), headers: { host: 'evil.example', ...headers } })).status;
    expect(await status('/settings/sign-in')).toBe(400);
    for (const [path, host] of [
      ['/settings', 'evil.example'],
      ['/settings/nowhere', 'example.test'],
    ]) {
      const page = await app.send({
        path: at(`${BASE}${path}`),
        headers: { host: present(host), accept: 'text/html' },
      });
      expect([page.status >= 400, page.text]).toEqual([
        true,
        expect.stringContaining(`href="${BASE}/settings/library"`),
      ]);
    }
    expect(await status('/settings/sign-in', { host: 'example.test' })).toBe(200);
    expect([await status('/healthz'), await status('/readyz'), await status('/api/v1/me')]).toEqual([200, 200, 401]);
  });
});

test('both forms of a path count as one path for idempotency keys and for budgets', async () => {
  const headers = { 'idempotency-key': 'one-import' };
  const post = (path: string) => actor.send({ method: 'POST', path, headers });
  const first = await post('/api/v1/imports');
  const second = await post(`${BASE}/api/v1/imports`);
  expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect([first.headers.location, second.headers.location]).toEqual(
    Array(2).fill(`${BASE}/api/v1/imports/${first.body.id}`),
  );
  const left = async (path: string) => Number((await actor.send({ path })).headers['x-ratelimit-remaining']);
  const before = await left('/api/v1/tags');
  expect([await left(`${BASE}/api/v1/tags`), await left('/api/v1/tags')]).toEqual([before - 1, before - 2]);
});

test('unknown paths and methods are answered as without the prefix, and only a whole segment is one', async () => {
  const status = async (method: string, path: string) => (await actor.send({ method, path })).status;
  expect(await status('GET', `${BASE}/api/v1/nothing`)).toBe(404);
  expect(await status('DELETE', `${BASE}/api/v1/me`)).toBe(405);
  expect((await app.send({ path: `${BASE}/api/v1/nothing` })).status).toBe(401);
  for (const path of ['/photosx/api/v1/me', '/photos/photos/api/v1/me', '/Photos/api/v1/me', '/%70hotos/api/v1/me']) {
    expect([path, await status('GET', path)]).toEqual([path, 404]);
  }
});

test.each([
  // The path of PUBLIC_URL, a path, and what remains of it.
  ['', '/api/v1/me', '/api/v1/me'],
  ['/photos', '/photos', '/'],
  ['/photos', '/photos?a=1', '/?a=1'],
  ['/photos', '/photos/', '/'],
  ['/photos', '/photos/settings?a=/photos', '/settings?a=/photos'],
  ['/photos', '/photosx/settings', '/photosx/settings'],
  ['/photos', '/photos//settings', '/photos//settings'],
  ['/photos', '/photos/nothing', '/photos/nothing'],
  ['/a/b', '/a/b/img/x', '/img/x'],
  ['/a/b', '/a/img/x', '/a/img/x'],
  ['/api', '/api/v1/me', '/api/v1/me'],
  ['/api', '/api/api/v1/me', '/api/v1/me'],
  ['/api', '/api', '/'],
  ['/s', '/s/token/photos/1', '/s/token/photos/1'],
  ['/s', '/s/s/token', '/s/token'],
])('below %j, %j is %j', (basePath, path, remains) => {
  expect(withoutBasePath(path, basePath)).toBe(remains);
});

test('every route is known below the path, and stays what it is below any path that the settings accept', () => {
  expect(app.routes.length).toBeGreaterThan(100);
  const accepted = new Set<string>();
  for (const { path } of app.routes) {
    expect(withoutBasePath(`${BASE}${path}`, BASE)).toBe(path);
    // Its first segments, as far as they are fixed.
    const [fixed = ''] = /^(?:\/[A-Za-z0-9._-]+)*/.exec(path) ?? [];
    const segments = fixed.split('/');
    for (let length = 2; length <= segments.length; length += 1) {
      const basePath = segments.slice(0, length).join('/');
      if (isAccepted(`${HOST}${basePath}`)) accepted.add(basePath);
    }
  }
  expect([...accepted].sort()).toEqual(['/api', '/img', '/renditions', '/s', '/uploads']);
  for (const basePath of accepted) {
    const other = app.routes.filter(({ path }) => withoutBasePath(path, basePath) !== path);
    expect([basePath, other.map(({ path }) => path)]).toEqual([basePath, []]);
  }
});

function isAccepted(PUBLIC_URL: string): boolean {
  try {
    configOf({ PUBLIC_URL });
    return true;
  } catch {
    return false;
  }
}

test('a PUBLIC_URL whose path looks like one of the service works in both forms', async () => {
  const api = await startApp({ ports: () => ({ addresses: new PublicAddresses(`${HOST}/api`) }) });
  try {
    const client = await api.customer();
    for (const path of ['/api/v1/imports', '/api/api/v1/imports']) {
      const { status, headers } = await client.send({ method: 'POST', path });
      expect([status, headers.location]).toEqual([201, expect.stringMatching(/^\/api\/api\/v1\/imports\/\d+$/)]);
    }
  } finally {
    await api.close();
  }
});

test('a page shows texts of people unchanged, even when they look like addresses', () => {
  const html =
    '<a href="/s/x">a href=&quot;/s/x&quot; srcset=&quot;/a 1w, /b 2w</a><img srcset="/s/a 1w, /s/b 2w" alt="1w, /s/b">';
  expect(publicHtml({ baseUrl: BASE }, html)).toBe(
    '<a href="/photos/s/x">a href=&quot;/s/x&quot; srcset=&quot;/a 1w, /b 2w</a><img srcset="/photos/s/a 1w, /photos/s/b 2w" alt="1w, /s/b">',
  );
});
