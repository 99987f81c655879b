import { endpoints } from '../http/support/endpoints.js';
import { type RunningApp, startApp } from '../http/support/start-app.js';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test('every route says what it asks of its caller', () => {
  expect(app.routes.filter((route) => route.access === undefined).map(name)).toEqual([]);
});

test('under /api/v1 that is a scope, but for the catch-all', () => {
  const api = app.routes.filter(({ path }) => path.startsWith('/api/v1'));
  const others = api.filter(({ access }) => access?.needs !== 'scope').map(name);
  expect(others.sort()).toEqual(['ALL /api/v1', 'ALL /api/v1/{*path}']);
});

test('the routes of the API are the nineteen endpoints, with their scopes', () => {
  const declared = app.routes.flatMap(({ method, path, access }) =>
    access?.needs === 'scope' ? [`${method} ${path.replace(/:[A-Za-z]+/g, '*')} ${access.scope}`] : [],
  );
  const asked = endpoints.map(
    ({ method, path, scope }) => `${method} /api/v1${path.replaceAll('999999', '*')} ${scope}`,
  );
  expect(declared.sort()).toEqual(asked.sort());
});

test('outside the API there is only what is known to need no key', () => {
  const open = app.routes.filter(({ access }) => access?.needs === 'nothing').map(name);
  expect(open.sort()).toEqual([
    'ALL /renditions/:token',
    'ALL /uploads/:token',
    'GET /healthz',
    'GET /readyz',
    'GET /renditions/:token',
    'OPTIONS /renditions/:token',
    'OPTIONS /uploads/:token',
    'PUT /uploads/:token',
  ]);
});
