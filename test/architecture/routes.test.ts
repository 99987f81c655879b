import { type RunningApp, startApp } from '../api/support/start-app.js';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test('every route says what it asks of its caller', () => {
  expect(app.routes.filter((route) => route.access === undefined).map(name)).toEqual([]);
});

test('every route under /api/v1 requires a scope, except for the catch-all', () => {
  const api = app.routes.filter(({ path }) => path.startsWith('/api/v1'));
  const others = api.filter(({ access }) => access?.needs !== 'scope').map(name);
  expect(others.sort()).toEqual(['ALL /api/v1', 'ALL /api/v1/{*path}']);
});

test('outside the API there is only what is known to need no key', () => {
  const open = app.routes.filter(({ access }) => access?.needs === 'nothing').map(name);
  expect(open.sort()).toEqual([
    'ALL /docs',
    'ALL /docs/assets/:version/:name',
    'ALL /docs/errors',
    'ALL /docs/errors/:code',
    'ALL /docs/guides',
    'ALL /docs/guides/:name',
    'ALL /docs/operator',
    'ALL /docs/operator/:name',
    'ALL /docs/reference/:name',
    'ALL /docs/search.json',
    'ALL /img/:deliveryKeyId/:photoId/:imageOptions',
    'ALL /openapi.json',
    'ALL /renditions/:token',
    'ALL /uploads/:token',
    'GET /',
    'GET /docs',
    'GET /docs/assets/:version/:name',
    'GET /docs/errors',
    'GET /docs/errors/:code',
    'GET /docs/guides',
    'GET /docs/guides/:name',
    'GET /docs/operator',
    'GET /docs/operator/:name',
    'GET /docs/reference/:name',
    'GET /docs/search.json',
    'GET /healthz',
    'GET /img/:deliveryKeyId/:photoId/:imageOptions',
    'GET /openapi.json',
    'GET /readyz',
    'GET /renditions/:token',
    'GET /s/:token',
    'GET /s/:token/archive.zip',
    'GET /s/:token/assets/:version/:name',
    'GET /s/:token/photos.json',
    'GET /s/:token/photos/:id',
    'GET /s/:token/photos/:id/:size',
    'GET /s/:token/photos/:id/download',
    'GET /settings/assets/:version/:folder/:name',
    'GET /settings/assets/:version/:name',
    'HEAD /uploads/:token',
    'OPTIONS /img/:deliveryKeyId/:photoId/:imageOptions',
    'OPTIONS /renditions/:token',
    'OPTIONS /uploads/:token',
    'PATCH /uploads/:token',
    'POST /s/:token/password',
    'POST /s/:token/upload',
    'PUT /uploads/:token',
  ]);
});

test('with contacts there is security.txt, too', async () => {
  const named = await startApp({ securityContacts: ['mailto:security@example.com'] });
  try {
    const known = new Set(app.routes.map(name));
    const more = named.routes.filter((route) => !known.has(name(route)));
    expect(more.map((route) => [name(route), route.access])).toEqual([
      ['GET /.well-known/security.txt', { needs: 'nothing' }],
      ['ALL /.well-known/security.txt', { needs: 'nothing' }],
    ]);
  } finally {
    await named.close();
  }
});

test('under /settings every page and form says who may see it', () => {
  const pages = app.routes.filter(
    ({ path }) => /^\/settings(\/|$)/.test(path) && !path.startsWith('/settings/assets/'),
  );
  const others = pages.filter(({ access }) => access?.needs !== 'person' && access?.needs !== 'visitor').map(name);
  expect(others).toEqual([]);
  expect(
    pages
      .filter(({ access }) => access?.needs === 'visitor')
      .map(name)
      .sort(),
  ).toEqual([
    'GET /settings/confirm-email/:token',
    'GET /settings/enter/:token',
    'GET /settings/sign-in',
    'GET /settings/sign-in/code',
    'GET /settings/sign-in/recovery',
    'GET /settings/sign-in/with/:provider',
    'GET /settings/sign-in/with/:provider/answer',
    'GET /settings/sign-in/with/:provider/sign-out',
    'GET /settings/sign-in/with/:provider/sign-out/there',
    'POST /settings/confirm-email/:token',
    'POST /settings/enter/:token',
    'POST /settings/sign-in',
    'POST /settings/sign-in/code',
    'POST /settings/sign-in/code/passkey-options',
    'POST /settings/sign-in/passkey',
    'POST /settings/sign-in/passkey/options',
    'POST /settings/sign-in/recovery',
    'POST /settings/sign-out',
    'POST /settings/switch',
  ]);
});

test('only what is under /settings is for people', () => {
  const people = app.routes.filter(({ access }) => access?.needs === 'person' || access?.needs === 'visitor');
  expect(people.filter(({ path }) => !/^\/settings(\/|$)/.test(path)).map(name)).toEqual([]);
});
