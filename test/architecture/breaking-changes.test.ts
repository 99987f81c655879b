import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { type ApiDocument, breakingChanges } from '../support/breaking-changes.js';

const root = join(__dirname, '../..');

/** The newest document that clients may have been written for. */
function lastReleased(): ApiDocument {
  const folder = join(root, 'docs/openapi');
  const parts = (name: string) => (name.match(/[0-9]+/g) ?? []).map(Number);
  const names = readdirSync(folder)
    .filter((name) => /^released-[0-9.]+\.json$/.test(name))
    .sort((a, b) => parts(a).reduce((order, part, at) => order || part - (parts(b)[at] ?? 0), 0));
  return JSON.parse(readFileSync(join(folder, String(names.at(-1))), 'utf8'));
}

test('nothing that clients of the last release rely on has changed', () => {
  expect(breakingChanges(lastReleased(), openApiDocument('0.0.0'))).toEqual([]);
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
  ['a status', (d) => (op(d).responses['409'] = {})],
  ['another description', (d) => (schemas(d).Photo.description = 'Other words.')],
])('no break: %s', (_, change) => {
  expect(changed(change)).toEqual([]);
});
