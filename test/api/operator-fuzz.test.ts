/* @slow @rest */
import fc from 'fast-check';
import { errorCodes } from '../../src/core/shared/errors.js';
import { operatorEndpoints } from './support/endpoints.js';
import type { RequestParts } from './support/http-client.js';
import { values, words } from './support/odd-requests.js';
import { type PostgresPorts, postgresPorts } from './support/postgres-ports.js';
import { type OperatorActor, type RunningApp, startApp } from './support/start-app.js';
import { type Schema, storedDocument } from './support/stored-document.js';

/** Requests per store and run; a failure prints its seed and the smallest request that fails. */
const REQUESTS = 500;

const { paths, components } = storedDocument('openapi-operator.json');

/** Fields that a body of the endpoint takes. */
function fieldsOf({ method, path }: { readonly method: string; readonly path: string }): readonly string[] {
  const template = Object.keys(paths).find((each) => each === templateOf(each, path));
  const operation = paths[template ?? '']?.[method.toLowerCase()];
  const [content] = Object.values(operation?.requestBody?.content ?? {});
  const name = content?.schema.$ref?.replace('#/components/schemas/', '') ?? '';
  return Object.keys((components.schemas[name] as Schema | undefined)?.properties ?? {});
}

/** The template, if the path has its form. */
function templateOf(template: string, path: string): string | null {
  return template.replace(/\{[A-Za-z]+\}/g, '999999') === `/operator/v1${path}` ? template : null;
}

const ids = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map(String),
  fc.constantFrom('0', 'x', '99999999999999999999', '%00'),
);
const text = (names: readonly string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 4 })
    .map((entries) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`);

const requests: fc.Arbitrary<RequestParts> = fc.constantFrom(...operatorEndpoints()).chain((endpoint) => {
  const { method, path } = endpoint;
  const names = fieldsOf(endpoint);
  return fc
    .record({
      first: ids,
      second: ids,
      body: names.length === 0 ? fc.constant(undefined) : text([...names, 'x']),
      query: fc.tuple(fc.constantFrom('limit', 'cursor', 'name', 'format', ''), fc.constantFrom(...words)),
      key: fc.constantFrom(null, null, 'a', 'b', ''),
    })
    .map(({ first, second, body, query: [name, value], key }) => {
      const at = path.replace('999999', first).replace('999999', second);
      const query = name === '' ? '' : `?${name}=${encodeURIComponent(value.toWellFormed())}`;
      const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
      return { method, path: `${at}${query}`, headers, ...(body !== undefined && { body }) };
    });
});

describe.each([
  ['in memory', async () => null],
  ['in Postgres', postgresPorts],
])('random requests to the operator API, with rows %s', (_, openRows) => {
  let rows: PostgresPorts | null;
  let app: RunningApp;
  let operator: OperatorActor;
  beforeAll(async () => {
    rows = await openRows();
    app = await startApp({ operatorApi: true, ports: () => rows?.ports ?? {} });
    operator = await app.operator();
    for (const name of ['Ada', 'a', '3']) {
      const { id } = (await operator.post('/customers', { name })).body;
      await operator.post(`/customers/${id}/keys`, { name, scopes: ['all'] });
      await operator.post(`/customers/${id}/people`, { email: 'a@example.com' });
      await operator.post(`/customers/${id}/webhooks`, { url: 'https://example.com' });
    }
  });
  afterAll(async () => {
    await app.close();
    await rows?.close();
  });

  test('get documented responses only, and the process survives', async () => {
    const property = fc.asyncProperty(requests, async (request) => {
      app.clock.pass(1000);
      const answer = await operator.send(request);
      const { status, bytes, headers } = answer;
      expect(status).toBeLessThan(500);
      expect(headers['x-ratelimit-limit']).toBe('300');
      if (status >= 400) expect(errorCodes).toContain(answer.body.error.code);
      else expect(bytes.length > 0).toBe(status !== 204);
    });
    await fc.assert(property, { numRuns: REQUESTS });
    expect((await operator.get('/customers')).status).toBe(200);
    expect(app.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  }, 240_000);
});
