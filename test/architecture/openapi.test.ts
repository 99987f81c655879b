import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getMetadataStorage } from 'class-validator';
import { openApiDocument, operatorOpenApiDocument } from '../../bin/docs/openapi/apis.js';
import { documentText } from '../../bin/docs/openapi/document.js';
import { errorCodes } from '../../src/core/shared/errors.js';
import type { Model } from '../../src/http/fields/declared.js';
import { listsOf } from '../../src/http/fields/fields.js';
import { parametersOf } from '../../src/http/requests/parameters.js';
import { type RunningApp, startApp } from '../api/support/start-app.js';
import { builtProgram } from '../support/built-program.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly { readonly apiKey: readonly string[] }[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: Json }>> };
}

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into wherever a test likes.
type Json = any;

const document = openApiDocument('0.0.0');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation: operation as Operation,
  })),
);

let app: RunningApp;
beforeAll(async () => {
  await builtProgram();
  app = await startApp();
});
afterAll(() => app.close());

/** As the document writes paths. */
const routes = () =>
  app.routes
    .filter(
      ({ path, method }) => /^\/(api\/v1|uploads|renditions|img)\//.test(path) && !['ALL', 'OPTIONS'].includes(method),
    )
    .map((route) => ({ ...route, path: route.path.replace(/:([A-Za-z]+)/g, '{$1}') }));
const routeOf = ({ method, path }: { method: string; path: string }) =>
  routes().find((route) => route.method === method && route.path === path);

test('the document in the repository is the one that is served: npm run openapi writes it', async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'));
  const kept = readFileSync(join(__dirname, '../../openapi.json'), 'utf8');
  expect(kept).toBe(documentText(openApiDocument(version)));
  expect((await app.send({ path: '/openapi.json' })).text).toBe(kept);
});

test.each(['patch', 'delete'])(
  'one schema matches every id and list of ids in the path of %s /photos/{id}',
  (method) => {
    const [id] = (document.paths['/api/v1/photos/{id}'] as Json)[method].parameters;
    const matches = new Ajv2020({ strict: false }).compile(id.schema);
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1).join();
    const ids = ['7', '7,', '1,2,3', hundred, String(Number.MAX_SAFE_INTEGER)];
    expect(ids.filter((text) => !matches(text))).toEqual([]);
    const others = ['', ',', '7,,', ',7', '7,8,', '0', '07', 'x', '-1', '1.5', `${hundred},101`];
    expect(others.filter((text) => matches(text))).toEqual([]);
    expect(id.schema.oneOf).toBeUndefined();
  },
);

test('the document has every route of the API and of signed addresses, and no other', () => {
  const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  expect(operations.map(name).sort()).toEqual(routes().map(name).sort());
});

test('every operation names the scope that its route needs', () => {
  const declared = operations.map(({ operation, ...at }) => {
    const access = routeOf(at)?.access;
    return [operation.operationId, access?.needs === 'scope' ? [{ apiKey: [access.scope] }] : []];
  });
  expect(operations.map(({ operation }) => [operation.operationId, operation.security])).toEqual(declared);
});

test('every operation, parameter and field says what clients may rely on, and since when; every operation its scope', () => {
  const isMarked = (part: Json) =>
    /^(stable|beta)$/.test(part['x-stability']) && /^\d+\.\d+\.\d+$/.test(part['x-added-in']);
  const unmarked: string[] = [];
  const fields = (at: string, part: Json) => {
    if (typeof part !== 'object' || part === null) return;
    for (const [name, field] of Object.entries<Json>(part.type === 'object' ? (part.properties ?? {}) : {}))
      if (!isMarked(field)) unmarked.push(`${at}.${name}`);
    for (const [name, inner] of Object.entries(part)) if (name !== 'examples') fields(`${at}/${name}`, inner);
  };
  for (const each of [document, operatorOpenApiDocument('0.0.0')] as Json[]) {
    const all = Object.values<Json>(each.paths).flatMap((methods) => Object.values<Json>(methods));
    for (const operation of all) {
      const { operationId, parameters = [], security } = operation;
      for (const part of [operation, ...parameters]) if (!isMarked(part)) unmarked.push(`${operationId} ${part.name}`);
      const [scopes] = security.map((one: Json) => Object.values(one).flat());
      expect([operationId, operation['x-required-scope']]).toEqual([operationId, scopes?.[0] ?? null]);
    }
    fields('', { paths: each.paths, schemas: each.components.schemas, webhooks: each.webhooks });
  }
  expect(unmarked).toEqual([]);
});

const parametersRead = (query: Model | undefined) => (query ? Object.keys(parametersOf(query)) : []);

test('every operation has the query parameters that its route reads, and no other', () => {
  // Part of what is signed: read with the path, as it was sent.
  const signed = 'showDeliveredPicture';
  for (const { operation, ...at } of operations.filter((each) => each.operation.operationId !== signed)) {
    const documented = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
    expect([operation.operationId, documented.sort()]).toEqual([
      operation.operationId,
      parametersRead(routeOf(at)?.query).sort(),
    ]);
  }
});

test('every path parameter of a path is described', () => {
  for (const { operation, path } of operations) {
    const named = [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name]) => name);
    expect((operation.parameters ?? []).filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(named);
  }
});

test('writes, and only they, take an Idempotency-Key', () => {
  for (const { operation, method, path } of operations) {
    const takes = (operation.parameters ?? []).some(({ name }) => name === 'Idempotency-Key');
    expect([method, path, takes]).toEqual([method, path, path.startsWith('/api/v1') && method !== 'GET']);
  }
});

const schemaOf = (schema: Json): Json =>
  schema.$ref ? (document.components.schemas as Json)[schema.$ref.replace('#/components/schemas/', '')] : schema;

/** The fields that a class takes, and those that it demands. */
function fieldsOf(shape: Model): { names: string[]; required: string[] } {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const lists = listsOf(shape).map(({ name }) => name);
  const isConditional = ({ propertyName }: (typeof rules)[number]) =>
    rules.some((rule) => rule.type === 'conditionalValidation' && rule.propertyName === propertyName);
  return {
    names: [...new Set([...rules.map((rule) => rule.propertyName), ...lists])].sort(),
    required: [
      ...rules.filter((rule) => rule.name === 'isDefined' && !isConditional(rule)).map((rule) => rule.propertyName),
      ...lists,
    ].sort(),
  };
}

const described = (schema: Json) => {
  const { properties, required = [], additionalProperties } = schemaOf(schema);
  return { names: Object.keys(properties).sort(), required: [...required].sort(), additionalProperties };
};

test('every body has the media types and the fields of its class; nothing else is taken', () => {
  for (const { operation, ...at } of operations.filter(({ path }) => path.startsWith('/api/v1'))) {
    const rules = routeOf(at)?.body;
    const { required, content = {} } = operation.requestBody ?? {};
    const types = rules ? [...rules.json, ...(rules.streamed ? [rules.streamed.type] : [])] : [];
    expect([operation.operationId, Object.keys(content).sort()]).toEqual([operation.operationId, types.sort()]);
    expect(required).toBe(rules && !rules.optional);
    for (const type of rules?.json ?? []) {
      const { schema } = content[type] as { schema: Json };
      const shapes = [rules?.shape, rules?.bulk?.shape].filter((shape) => shape !== undefined);
      const expected = shapes.map((shape) => ({ ...fieldsOf(shape), additionalProperties: false }));
      expect((schema.oneOf ?? [schema]).map(described)).toEqual(expected);
      for (const shape of shapes) {
        for (const list of listsOf(shape)) {
          const { items, minItems, maxItems } =
            described.length > 0 && schemaOf((schema.oneOf ?? [schema]).at(-1)).properties[list.name];
          expect(described(items)).toEqual({ ...fieldsOf(list.shape), additionalProperties: false });
          expect([minItems, maxItems]).toEqual([1, list.max]);
        }
      }
    }
  }
});

test('every error code is an answer of some operation, but for 405, which no operation has', () => {
  const answered = new Set(
    Object.values(document.components.responses).flatMap(
      (response: Json) => response.content['application/json'].schema.allOf[1].properties.error.properties.code.enum,
    ),
  );
  expect(errorCodes.filter((code) => !answered.has(code))).toEqual(['method_not_allowed']);
});

/** Every schema under a value that is one, with its place. */
function* schemasIn(schema: Json, at: string): Generator<[string, Json]> {
  if (typeof schema !== 'object' || schema === null) return;
  yield [at, schema];
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* schemasIn(field, `${at}.${name}`);
  if (schema.items) yield* schemasIn(schema.items, `${at}[]`);
}

test('every field is described, and every plain value has an example', () => {
  const silent: string[] = [];
  for (const [name, whole] of Object.entries(document.components.schemas)) {
    for (const [at, schema] of schemasIn(whole, name)) {
      const isEntry = at.endsWith('[]') || schema.$ref !== undefined;
      if (!isEntry && typeof schema.description !== 'string') silent.push(`${at} has no description`);
      const isPlain = [schema.type].flat().some((type) => ['string', 'integer', 'number', 'boolean'].includes(type));
      const shows =
        schema.examples?.length > 0 || schema.enum || 'const' in schema || schema.format === 'binary' || at === 'Id';
      if (isPlain && !shows) silent.push(`${at} has no example`);
    }
  }
  expect(silent).toEqual([]);
});

test('every parameter and header is described and has an example', () => {
  const parameters = operations.flatMap(({ operation }) => operation.parameters ?? []) as Json[];
  const headers = Object.entries(document.components.headers).map(([name, header]) => ({ name, ...header })) as Json[];
  const silent = [...parameters, ...headers].filter(
    ({ description, schema }) => typeof description !== 'string' || !(schema.examples?.length > 0),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

/** Names of the schemas that a part of the document refers to, however far. */
function namesReached(part: Json, names = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return names;
  const name = String(part.$ref ?? '').replace('#/components/schemas/', '');
  if (part.$ref && !names.has(name)) namesReached((document.components.schemas as Json)[name], names.add(name));
  for (const each of Object.values(part)) namesReached(each, names);
  return names;
}

test('enumerations in responses may grow, and those in requests are closed', () => {
  const schemas = Object.entries(document.components.schemas as Json) as [string, Json][];
  const taken = namesReached(operations.map(({ operation }) => operation.requestBody));
  const objects = schemas.filter(([name, { type }]) => taken.has(name) && type === 'object');
  const closed = schemas.filter(([, { additionalProperties }]) => additionalProperties === false);
  expect(closed.map(([name]) => name).sort()).toEqual(objects.map(([name]) => name).sort());
  expect(closed.length).toBeGreaterThan(10);
});
