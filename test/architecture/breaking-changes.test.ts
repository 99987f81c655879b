import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument, operatorOpenApiDocument } from '../../bin/docs/openapi/apis.js';
import { type ApiDocument, breakingChanges } from '../support/breaking-changes.js';
import { releasedDocuments } from '../support/released-documents.js';

const root = join(__dirname, '../..');

test('nothing that clients of the last release rely on has changed: operations, and payloads of webhooks', () => {
  const released = releasedDocuments('released').at(-1)?.document as ApiDocument;
  expect(Object.keys(released.webhooks ?? {}).length).toBeGreaterThan(10);
  expect(breakingChanges(released, openApiDocument('0.0.0'))).toEqual([]);
});

test('nothing that programs of operators rely on has changed since the last release', () => {
  const released = releasedDocuments('released-operator').at(-1)?.document as ApiDocument;
  expect(breakingChanges(released, operatorOpenApiDocument('0.0.0'))).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: as below.
type Node = any;

/** Every operation, parameter and field of a document by its place, with the release that it says it came with. */
function parts(document: Node): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [path, methods] of Object.entries<Node>(document.paths)) {
    for (const [method, operation] of Object.entries<Node>(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      found.set(at, operation['x-added-in']);
      for (const one of operation.parameters ?? []) found.set(`${at} ${one.in} ${one.name}`, one['x-added-in']);
    }
  }
  const fields = (at: string, schema: Node) => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, field] of Object.entries<Node>(schema.properties ?? {})) {
      found.set(`${at}.${name}`, field['x-added-in']);
      fields(`${at}.${name}`, field);
    }
    for (const each of [schema.items, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) fields(at, each);
  };
  for (const [name, schema] of Object.entries<Node>(document.components.schemas)) fields(name, schema);
  return found;
}

test.each([
  ['released', openApiDocument('0.0.0')],
  ['released-operator', operatorOpenApiDocument('0.0.0')],
] as const)('x-added-in names the first release that had a part, or this one: %s', (name, document) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const releases = releasedDocuments(name).map((release) => ({ ...release, parts: parts(release.document) }));
  const expected = [...parts(document).keys()].map((part) => {
    return [part, releases.find((release) => release.parts.has(part))?.version ?? version];
  });
  expect(expected.length).toBeGreaterThan(50);
  expect([...parts(document)]).toEqual(expected);
});

const photo = {
  type: 'object',
  properties: {
    id: { $ref: '#/components/schemas/Id' },
    title: { type: ['string', 'null'], maxLength: 255 },
    status: { type: 'string', enum: ['a', 'b'] },
    parent: { anyOf: [{ $ref: '#/components/schemas/Photo' }, { type: 'null' }] },
  },
  required: ['id', 'title', 'status', 'parent'],
};
const patch = {
  type: 'object',
  properties: { title: { type: ['string', 'null'], maxLength: 255 }, kind: { type: 'string', enum: ['x', 'y'] } },
  additionalProperties: false,
};

/** A small document; each test changes one thing of a copy. */
// biome-ignore lint/suspicious/noExplicitAny: tests change documents wherever they like.
function plain(): any {
  return structuredClone({
    paths: {
      '/photos/{id}': {
        patch: {
          security: [{ apiKey: ['photos:write'] }],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/Id' } },
            { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          ],
          requestBody: {
            required: false,
            content: {
              'application/json': { schema: { oneOf: [{ $ref: '#/components/schemas/Patch' }, { type: 'array' }] } },
              'text/plain': { schema: { type: 'string' } },
            },
          },
          responses: {
            '200': {
              headers: { ETag: { $ref: '#/components/headers/ETag' } },
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Photo' } } },
            },
            '404': { $ref: '#/components/responses/NotFound' },
          },
        },
        get: { responses: {} },
      },
      '/tags': { get: { responses: {} } },
    },
    webhooks: {
      'photo.created': {
        post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Photo' } } } } },
      },
    },
    components: {
      headers: { ETag: { schema: { type: 'string' } } },
      responses: { NotFound: { content: { 'application/json': { schema: { type: 'object' } } } } },
      schemas: { Id: { type: 'integer', minimum: 1, maximum: 9007199254740991 }, Photo: photo, Patch: patch },
    },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
function changed(change: (document: any) => void): readonly string[] {
  const document = plain();
  change(document);
  return breakingChanges(plain(), document);
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
type Change = (document: any) => void;
// biome-ignore lint/suspicious/noExplicitAny: as above.
const op = (document: any) => document.paths['/photos/{id}'].patch;
// biome-ignore lint/suspicious/noExplicitAny: as above.
const schemas = (document: any) => document.components.schemas;
const AT = 'PATCH /photos/{id}';

test.each<[string, Change]>([
  ['The path /tags was removed.', (d) => delete d.paths['/tags']],
  ['GET /photos/{id} was removed.', (d) => delete d.paths['/photos/{id}'].get],
  [`${AT} now needs the scope photos:delete.`, (d) => op(d).security[0].apiKey.push('photos:delete')],
  [`${AT}: the query parameter limit was removed.`, (d) => op(d).parameters.pop()],
  [`${AT}: the query parameter limit became required.`, (d) => (op(d).parameters[1].required = true)],
  [
    `${AT}: the query parameter q is new and required.`,
    (d) => op(d).parameters.push({ name: 'q', in: 'query', required: true, schema: { type: 'string' } }),
  ],
  [
    `${AT}: query parameter limit: maximum was narrowed from 100 to 50.`,
    (d) => (op(d).parameters[1].schema.maximum = 50),
  ],
  [`${AT}: query parameter limit: minimum was narrowed from 1 to 2.`, (d) => (op(d).parameters[1].schema.minimum = 2)],
  [`${AT}: query parameter limit takes no integer any more.`, (d) => (op(d).parameters[1].schema.type = 'boolean')],
  [
    `${AT}: path parameter id takes no 9007199254740991 any more.`,
    (d) => (op(d).parameters[0].schema = { type: 'string', pattern: '^[1-9][0-9]{0,14}(,|(,[1-9][0-9]*)+)?$' }),
  ],
  [`${AT}: the body became required.`, (d) => (op(d).requestBody.required = true)],
  [`${AT} takes no text/plain any more.`, (d) => delete op(d).requestBody.content['text/plain']],
  [`${AT}: request takes no array any more.`, (d) => op(d).requestBody.content['application/json'].schema.oneOf.pop()],
  [`${AT}: request: the field kind was removed.`, (d) => delete schemas(d).Patch.properties.kind],
  [`${AT}: request: the field kind became required.`, (d) => (schemas(d).Patch.required = ['kind'])],
  [
    `${AT}: request: the field size became required.`,
    (d) => {
      schemas(d).Patch.properties.size = { type: 'integer' };
      schemas(d).Patch.required = ['size'];
    },
  ],
  [`${AT}: request.title takes no null any more.`, (d) => (schemas(d).Patch.properties.title.type = 'string')],
  [
    `${AT}: request.title: maxLength was narrowed from 255 to 100.`,
    (d) => (schemas(d).Patch.properties.title.maxLength = 100),
  ],
  [
    `${AT}: request.title: minLength was narrowed from none to 1.`,
    (d) => (schemas(d).Patch.properties.title.minLength = 1),
  ],
  [`${AT}: request.title: pattern became ^a.`, (d) => (schemas(d).Patch.properties.title.pattern = '^a')],
  [`${AT}: request.title is now limited to a.`, (d) => (schemas(d).Patch.properties.title.enum = ['a'])],
  [`${AT}: request.kind: the value y was removed.`, (d) => schemas(d).Patch.properties.kind.enum.pop()],
  [`${AT} does not answer 404 any more.`, (d) => delete op(d).responses['404']],
  [`${AT}, 200: the header ETag was removed.`, (d) => delete op(d).responses['200'].headers.ETag],
  [
    `${AT}, 404: the content type application/json was removed.`,
    (d) => (d.components.responses.NotFound.content = { 'text/html': {} }),
  ],
  [`${AT}, 200: the field status was removed.`, (d) => delete schemas(d).Photo.properties.status],
  [`${AT}, 200: the field title may now be missing.`, (d) => (schemas(d).Photo.required = ['id', 'status', 'parent'])],
  [`${AT}, 200.status can now be null.`, (d) => (schemas(d).Photo.properties.status.type = ['string', 'null'])],
  [`${AT}, 200.status: the value b was removed.`, (d) => schemas(d).Photo.properties.status.enum.pop()],
  [`${AT}, 200.id can now be string.`, (d) => (schemas(d).Photo.properties.id = { type: 'string' })],
  [
    `${AT}, 200.title: maxLength was widened from 255 to 300.`,
    (d) => (schemas(d).Photo.properties.title.maxLength = 300),
  ],
  [
    `${AT}, 200.title: maxLength was widened from 255 to none.`,
    (d) => delete schemas(d).Photo.properties.title.maxLength,
  ],
  [`${AT}, 200.parent can now be string.`, (d) => schemas(d).Photo.properties.parent.anyOf.push({ type: 'string' })],
  ['The event photo.created was removed.', (d) => delete d.webhooks['photo.created']],
  ['Event photo.created: the field status was removed.', (d) => delete schemas(d).Photo.properties.status],
  [
    'Event photo.created.status can now be null.',
    (d) => (schemas(d).Photo.properties.status.type = ['string', 'null']),
  ],
])('%s', (sentence, change) => {
  expect(changed(change)).toContain(sentence);
});

test.each<[string, Change]>([
  ['a path', (d) => (d.paths['/new'] = { get: { responses: {} } })],
  ['a method', (d) => (d.paths['/tags'].post = { responses: {} })],
  ['an optional parameter', (d) => op(d).parameters.push({ name: 'q', in: 'query', schema: { type: 'string' } })],
  ['an optional request field', (d) => (schemas(d).Patch.properties.size = { type: 'integer' })],
  ['a value of a request', (d) => schemas(d).Patch.properties.kind.enum.push('z')],
  ['a longer text in a request', (d) => (schemas(d).Patch.properties.title.maxLength = 500)],
  ['null in a request', (d) => (schemas(d).Patch.properties.kind.type = ['string', 'null'])],
  ['a response field', (d) => (schemas(d).Photo.properties.size = { type: 'integer' })],
  ['a value of a response', (d) => schemas(d).Photo.properties.status.enum.push('c')],
  ['an event', (d) => (d.webhooks['photo.lost'] = {})],
  ['a status', (d) => (op(d).responses['409'] = {})],
  ['another description', (d) => (schemas(d).Photo.description = 'Other words.')],
])('no break: %s', (_, change) => {
  expect(changed(change)).toEqual([]);
});
