import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorOpenApiDocument } from '../../bin/docs/openapi/apis.js';
import { documentText } from '../../bin/docs/openapi/document.js';
import { parametersOf } from '../../src/http/requests/parameters.js';
import { type RunningApp, startApp } from '../api/support/start-app.js';
import { builtProgram } from '../support/built-program.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into wherever a test likes.
type Json = any;

const document = operatorOpenApiDocument('0.0.0');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation: operation as Json,
  })),
);

let app: RunningApp;
beforeAll(async () => {
  await builtProgram();
  app = await startApp({ operatorApi: true });
});
afterAll(() => app.close());

const routes = () =>
  app.routes
    .filter(({ path, method }) => path.startsWith('/operator/v1') && method !== 'ALL')
    .map((route) => ({ ...route, path: route.path.replace(/:([A-Za-z]+)/g, '{$1}') }));

test('the document in the repository is the one that is served: npm run openapi writes it', async () => {
  const root = join(__dirname, '../..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const kept = readFileSync(join(root, 'openapi-operator.json'), 'utf8');
  expect(kept).toBe(documentText(operatorOpenApiDocument(version)));
  expect((await app.send({ path: '/operator/openapi.json' })).text).toBe(kept);
});

test('the operator document has every route of the operator API with its scope, its parameters and its body, and no other', () => {
  const documented = operations.map(({ method, path, operation }) => ({
    route: `${method} ${path}`,
    security: operation.security,
    query: (operation.parameters ?? []).filter((one: Json) => one.in === 'query').map((one: Json) => one.name),
    path: (operation.parameters ?? []).filter((one: Json) => one.in === 'path').map((one: Json) => one.name),
    hasBody: operation.requestBody !== undefined,
    takesKey: (operation.parameters ?? []).some((one: Json) => one.name === 'Idempotency-Key'),
  }));
  const declared = routes().map(({ method, path, access, query, body }) => ({
    route: `${method} ${path}`,
    security: [{ operatorToken: [access?.needs === 'operator' ? access.scope : null] }],
    query: query ? Object.keys(parametersOf(query)) : [],
    path: [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name]) => name),
    hasBody: body !== undefined,
    takesKey: method !== 'GET',
  }));
  const byRoute = (a: { route: string }, b: { route: string }) => (a.route < b.route ? -1 : 1);
  expect(documented.sort(byRoute)).toEqual(declared.sort(byRoute));
  expect(declared.length).toBeGreaterThan(15);
});

test('the schemas of the operator document are its own, without what only customers see', () => {
  const names = Object.keys(document.components.schemas);
  expect(names).toEqual(expect.arrayContaining(['OperatorCustomer', 'OperatorKey', 'Error']));
  expect(names.filter((name) => /^(Photo|Import|Tag|Me)$/.test(name))).toEqual([]);
});

test('every route under /operator/v1 requires a scope, but for the catch-all', () => {
  const others = app.routes.filter(
    ({ path, access }) => path.startsWith('/operator/v1') && access?.needs !== 'operator',
  );
  expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'ALL /operator/v1',
    'ALL /operator/v1/{*path}',
  ]);
});
